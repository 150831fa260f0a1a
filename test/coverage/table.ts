/**
 * The reference of the blogging service, section by section and row by row, in its own order and names. `rows` says
 * how many a section has, so that a missing one shows.
 */
export interface Section {
  readonly title: string;
  readonly rows: number;
  /** What a row is: a parameter of an endpoint, a field of a message, or any other record. */
  readonly kind: "parameter" | "field" | "error" | "record" | "case";
  /** The endpoint or the messages that the rows belong to; of errors nothing where any endpoint may have them. */
  readonly of: string;
  /** The rows, separated by commas, or by semicolons where there are some; `name = record` where the record has another name. */
  readonly names: string;
  /** Rows that are no RPC, and why. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

const parameters = (of: string, rows: number, names: string): Section => ({
  title: of,
  rows,
  kind: "parameter",
  of,
  names,
});
const fields = (title: string, of: string, rows: number, names: string): Section => ({
  title,
  rows,
  kind: "field",
  of,
  names,
});

const errors = (of: string, rows: number, names: string): Section => ({
  title: `${of}, errors`,
  rows,
  kind: "error",
  of,
  names,
});

/** The errors of creating, fetching and editing a post in blocks. */
const POST_ERRORS =
  "400, 400.8001, 400.8002, 400.8005, 400.8016, 401, 403, 403.8004, 403.8008, 403.8010, 403.8011, 403.8022, 403.8023, 404, 500, 500.8006, 500.8009, 503";

const BLOG = "blog.v1.Blog";
const POST = "blog.v1.Post";

export const TABLE: readonly Section[] = [
  {
    title: "Conventions",
    rows: 5,
    kind: "record",
    of: "conventions",
    names:
      "User-Agent = received user-agent, three encodings = received JSON form and multipart, jsonp = received no jsonp, npf = parameter GET P/posts npf, partial responses = parameter GET P/info fields[blogs]",
  },
  {
    title: "Envelope",
    rows: 4,
    kind: "record",
    of: "envelope",
    names:
      "meta.status = error 404, meta.msg = error 404, response = field blog.v1.GetBlogInfoResponse.blog, errors = error 400.8001",
  },
  fields("Links object", "blog.v1.Link", 4, "type, href, method, query_params"),
  {
    title: "Tag object",
    rows: 4,
    kind: "record",
    of: "tag",
    names: "tag, thumb_url, is_tracked, featured",
    elsewhere: Object.fromEntries(
      ["tag", "thumb_url", "is_tracked", "featured"].map((name) => [
        name,
        "no endpoint of this reference answers with it",
      ]),
    ),
  },
  fields(
    "Blog object (default fields)",
    BLOG,
    14,
    "title, posts, name, updated, description, ask, ask_anon, followed, likes, is_blocked_from_primary, avatar, url, theme, uuid",
  ),
  fields(
    "Optional blog fields",
    BLOG,
    5,
    "is_following_you, duration_blog_following_you, duration_following_blog, timezone, timezone_offset",
  ),
  fields(
    "theme object",
    "blog.v1.Theme",
    18,
    "avatar_shape, background_color, body_font, header_bounds, header_image, header_image_npf, header_image_focused, header_image_poster, header_image_scaled, header_stretch, link_color, show_avatar, show_description, show_header_image, show_title, title_color, title_font, title_font_weight",
  ),
  fields(
    "Post object: fields for all post types",
    POST,
    23,
    "blog_name, id = id_string, id_string, genesis_post_id, post_url, parent_post_url, type, timestamp, date, format, reblog_key, tags, bookmarklet, mobile, source_url, source_title, liked, state, is_blocks_post_format, muted, mute_end_timestamp, total_posts = blog.v1.ListPostsResponse.total_posts, note_count",
  ),
  fields(
    "Posts from a community",
    POST,
    8,
    "community, can_react, can_moderate, reactions, is_admin, is_moderator, post_author, author_blog",
  ),
  fields("Reaction object", "blog.v1.Reaction", 4, "emoji, count, preview, reacted"),
  fields("Reaction object, emoji", "blog.v1.Emoji", 4, "id, grapheme, variants, base_slug"),
  fields(
    "NPF posts",
    POST,
    3,
    "content = blog.v1.BlocksPost.content, layout = blog.v1.BlocksPost.layout, trail",
  ),
  fields("text", "blog.v1.TextPost", 2, "title, body"),
  fields("photo", "blog.v1.PhotoPost", 4, "caption, width, height, photos"),
  fields("photo, photos", "blog.v1.Photo", 2, "caption, alt_sizes"),
  fields("photo, sizes", "blog.v1.PhotoSize", 3, "width, height, url"),
  fields("quote", "blog.v1.QuotePost", 2, "text, source"),
  fields("link", "blog.v1.LinkPost", 7, "title, description, url, link_author, excerpt, publisher, photos"),
  fields("link, photos", "blog.v1.Photo", 1, "original_size"),
  fields("chat", "blog.v1.ChatPost", 3, "title, body, dialogue"),
  fields("chat, dialogue", "blog.v1.DialogueLine", 3, "name, label, phrase"),
  fields(
    "audio",
    "blog.v1.AudioPost",
    11,
    "caption, player, plays, album_art, artist, album, track_name, track_number, year, embed, id3_title",
  ),
  fields("video", "blog.v1.VideoPost", 2, "caption, player"),
  fields("video, player", "blog.v1.VideoPlayer", 2, "width, embed_code"),
  fields(
    "answer",
    "blog.v1.AnswerPost",
    4,
    "asking_name = blog.v1.Post.asking_name, asking_url = blog.v1.Post.asking_url, question, answer",
  ),
  fields(
    "Submission post object",
    POST,
    16,
    "id = id_string, id_string, post_url, slug, type, date, timestamp, state, format, reblog_key, tags, short_url, post_author, is_submission, anonymous_name, anonymous_email",
  ),
  fields(
    "Activity item",
    "blog.v1.Notification",
    10,
    "id, type, timestamp, unread, target_post_id, from_tumblelog_name, post_id, post_tags, added_text, reply_text",
  ),
  fields(
    "Note object",
    "blog.v1.Note",
    10,
    "type, timestamp, blog_name, blog_uuid, blog_url, followed, avatar_shape, post_id, reblog_parent_blog_name, tags",
  ),
  fields(
    "Page object",
    "blog.v1.Page",
    7,
    "path, title, content, position, updated_at, custom_template, show_link",
  ),
  {
    title: "States and transitions",
    rows: 12,
    kind: "record",
    of: "states",
    names:
      "create published = state nothing -> published; create queue = state nothing -> queued, at the end of the queue; create draft = state nothing -> draft; create private = state nothing -> private; create unapproved = state nothing -> submission; reorder = state queued -> queued, after another post; shuffle = state queued -> queued, in any order; publication = state scheduled -> published, with another id; PUT edit = state drafts -> published by an edit, with another id; mute = state unmuted -> muted, until it is unmuted; unmute = state muted -> unmuted, when its time has passed; publish_on ignored = state publish_on is ignored where the state is not queue",
  },
  parameters("GET P/info", 3, "blog-identifier, api_key, fields = fields[blogs]"),
  parameters("GET P/avatar", 2, "blog-identifier, size"),
  parameters("GET P/blocks", 3, "blog-identifier, offset, limit"),
  parameters("POST P/blocks", 3, "blog-identifier, blocked_tumblelog, post_id"),
  parameters("POST P/blocks/bulk", 3, "blog-identifier, blocked_tumblelogs, force"),
  parameters("DELETE P/blocks", 3, "blog-identifier, blocked_tumblelog, anonymous_only"),
  parameters("GET P/likes", 6, "blog-identifier, limit, offset, before, after, api_key"),
  parameters("GET P/following", 3, "blog-identifier, limit, offset"),
  parameters("GET P/followers", 3, "blog-identifier, limit, offset"),
  parameters("GET P/followed_by", 2, "blog-identifier, query"),
  parameters(
    "GET P/posts",
    14,
    "blog-identifier, api_key, type, id, tag, limit, offset, reblog_info, notes_info, filter, before, after, sort, npf",
  ),
  parameters("GET P/posts/queue", 4, "blog-identifier, offset, limit, filter"),
  parameters("POST P/posts/queue/reorder", 3, "blog-identifier, post_id, insert_after"),
  parameters("POST P/posts/queue/shuffle", 1, "blog-identifier"),
  parameters("GET P/posts/draft", 3, "blog-identifier, before_id, filter"),
  parameters("GET P/posts/submission", 3, "blog-identifier, offset, filter"),
  parameters("GET P/notifications", 5, "blog-identifier, before, types, rollups, omit_post_ids"),
  parameters(
    "POST P/post",
    25,
    "blog-identifier, type, state, tags, tweet, date, format, slug, native_inline_images, title, body, caption, link, source, data, data64, quote, url, description, thumbnail, excerpt, author, conversation, external_url, embed",
  ),
  parameters(
    "POST P/post/edit",
    10,
    "blog-identifier, id, type, state, tags, tweet, date, format, slug, native_inline_images",
  ),
  parameters(
    "POST P/post/reblog",
    11,
    "blog-identifier, id, reblog_key, comment, native_inline_images, state, tags, tweet, date, format, slug",
  ),
  parameters(
    "POST P/posts",
    18,
    "blog-identifier, content, layout, state, publish_on, date, tags, source_url, send_to_social, is_private, slug, interactability_reblog, parent_tumblelog_uuid, parent_post_id, reblog_key, hide_trail, exclude_trail_items, json",
  ),
  parameters("GET P/posts/{post-id}", 3, "blog-identifier, post-id, post_format"),
  parameters(
    "PUT P/posts/{post-id}",
    18,
    "blog-identifier, post-id, content, layout, state, publish_on, date, tags, source_url, send_to_social, is_private, slug, interactability_reblog, parent_tumblelog_uuid, parent_post_id, reblog_key, hide_trail, exclude_trail_items",
  ),
  parameters("POST P/post/delete", 2, "blog-identifier, id"),
  parameters("POST P/posts/{post-id}/mute", 3, "blog-identifier, post-id, mute_length_seconds"),
  parameters("DELETE P/posts/{post-id}/mute", 2, "blog-identifier, post-id"),
  parameters("GET P/notes", 4, "blog-identifier, id, before_timestamp, mode"),
  parameters("GET P/pages", 3, "blog-identifier, limit, offset"),
  parameters("GET P/pages/{page-name}", 2, "blog-identifier, page-name"),
  parameters("GET /oembed", 1, "url"),
  fields("GET P/info, response", "blog.v1.GetBlogInfoResponse", 1, "blog"),
  fields("GET P/blocks, response", "blog.v1.ListBlocksResponse", 2, "blocked_tumblelogs, _links"),
  fields("GET P/likes, response", "blog.v1.ListLikesResponse", 2, "liked_posts, liked_count"),
  fields("GET P/following, response", "blog.v1.ListFollowingResponse", 2, "blogs, total_blogs"),
  fields(
    "GET P/followers, response",
    "blog.v1.ListFollowersResponse",
    2,
    "total_users = users.total_users, users = users.users",
  ),
  fields("GET P/followers, users", "blog.v1.Follower", 4, "name, following, url, updated"),
  fields("GET P/followed_by, response", "blog.v1.GetFollowedByResponse", 1, "followed_by"),
  fields("GET P/posts, response", "blog.v1.ListPostsResponse", 3, "blog, posts, total_posts"),
  fields("GET P/notifications, response", "blog.v1.ListNotificationsResponse", 2, "notifications, _links"),
  fields("POST P/posts, response", "blog.v1.CreatePostResponse", 1, "id"),
  fields(
    "GET P/posts/{post-id}, response",
    POST,
    15,
    "object_type, type, id, tumblelog_uuid, parent_post_id, parent_tumblelog_uuid, reblog_key, trail, content = blog.v1.BlocksPost.content, layout = blog.v1.BlocksPost.layout, queued_state, scheduled_publish_time, publish_on, interactability_reblog, trail content = blog.v1.TrailItem.content",
  ),
  fields("PUT P/posts/{post-id}, response", "blog.v1.UpdatePostResponse", 1, "id"),
  fields(
    "GET P/notes, response",
    "blog.v1.ListNotesResponse",
    6,
    "notes, rollup_notes, total_notes, total_likes, total_reblogs, _links",
  ),
  fields("GET P/pages, response", "blog.v1.ListPagesResponse", 3, "pages, total_pages, _links"),
  parameters("POST /oauth/request_token", 1, "oauth_callback"),
  {
    title: "GET /oauth/authorize, a page",
    rows: 2,
    kind: "parameter",
    of: "GET /oauth/authorize",
    names: "oauth_token, source",
  },
  parameters("GET /oauth/access_token", 1, "oauth_verifier"),
  {
    title: "GET /oauth2/authorize, a page",
    rows: 6,
    kind: "parameter",
    of: "GET /oauth2/authorize",
    names: "client_id, response_type, scope, state, redirect_uri, force_login",
  },
  parameters(
    "POST /v2/oauth2/token",
    6,
    "grant_type, code, client_id, client_secret, redirect_uri, refresh_token",
  ),
  parameters("POST /v2/oauth2/exchange", 1, "signature = oauth_signature"),
  fields(
    "POST /v2/oauth2/token, response",
    "oauth.v1.CreateTokenResponse",
    6,
    "access_token, expires_in, token_type, scope, refresh_token, id_token",
  ),
  fields(
    "POST /v2/oauth2/token, refresh, response",
    "oauth.v1.RefreshTokenResponse",
    5,
    "access_token, expires_in, token_type, scope, refresh_token",
  ),
  fields(
    "POST /v2/oauth2/exchange, response",
    "oauth.v1.ExchangeTokenResponse",
    5,
    "access_token, expires_in, token_type, scope, refresh_token",
  ),
  {
    title: "Errors, of any endpoint",
    rows: 20,
    kind: "error",
    of: "",
    names:
      "400, 400.8001, 400.8002, 400.8005, 400.8016, 401, 403, 403.8004, 403.8008, 403.8010, 403.8011, 403.8022, 403.8023, no HTTPS = 404, no blog = 404, no post = 404, 500, 500.8006, 500.8009, 503",
  },
  errors("GET P/posts/{post-id}", 18, POST_ERRORS),
  errors("POST P/posts", 18, POST_ERRORS),
  errors("PUT P/posts/{post-id}", 18, POST_ERRORS),
  errors("GET P/pages", 4, "400, 401 = 401.1016, 403, 404"),
  errors("GET P/pages/{page-name}", 5, "400, 401 = 401.1016, 403, no blog = 404, no page = 404"),
  errors("POST /v2/oauth2/token", 2, "a code = 401.invalid_grant, a refresh token = 401.invalid_grant"),
  errors("POST /v2/oauth2/exchange", 2, "400, 401 = 401.1016"),
  {
    title: "Other status codes",
    rows: 6,
    kind: "case",
    of: "",
    names:
      "429 = GET P/info: more calls than are allowed in an hour; a negative mute_length_seconds = POST P/posts/{post-id}/mute: a length below 0; anonymous_only=false = DELETE P/blocks: anonymous_only: false alone; an unknown id = GET P/posts[/type]: a post that is not there; a video of an unsupported service = POST P/post: a video of a site that is not supported; a refresh token of no more use = POST {base_url}/v2/oauth2/token, refresh: a refresh token that was used",
  },
  {
    title: "Limits",
    rows: 13,
    kind: "case",
    of: "",
    names:
      "rate limit per consumer = GET P/info: more calls than are allowed in an hour; posts of a day = POST P/posts: more posts than are allowed in a day; GET blocks = GET P/blocks: more calls than are allowed in a minute; POST blocks = POST P/blocks: more calls than are allowed in a minute; POST blocks/bulk = POST P/blocks/bulk: more calls than are allowed in a minute; DELETE blocks = DELETE P/blocks: more calls than are allowed in a minute; page size = GET P/posts[/type]: limit: 0; tags = GET P/posts[/type]: five tags; photo data = POST P/post: a photo that is too large; video data = POST P/post: a video that is too large; queue size = POST P/posts: a queue that is full; daily media = POST P/posts: more media than are allowed in a day; daily videos = POST P/posts: more videos than are allowed in a day",
  },
  {
    title: "Versioning",
    rows: 1,
    kind: "record",
    of: "versioning",
    names: "/v2 = parameter GET P/info blog-identifier",
  },
];
