/** Responses of the user service, as its reference describes them. */

export const POST = {
  id: 700000000000000123n,
  id_string: "700000000000000123",
  blog_name: "ada",
  type: "text",
  state: "published",
  title: "T",
  body: "<p>B</p>",
  timestamp: 1_761_998_000,
  reblog_key: "k1",
  tags: ["seed"],
  liked: true,
  liked_timestamp: 1_761_998_300,
};

/** A post with a featured tag. */
export const FEATURED = { ...POST, featured_timestamp: 1_761_998_350 };

/** A post as blocks. */
export const BLOCKS = {
  ...POST,
  type: "blocks",
  is_blocks_post_format: true,
  content: [{ type: "text", text: "B" }],
  layout: [],
  trail: [],
};

export const NEXT = {
  next: { href: "/v2/next?offset=20", method: "GET", query_params: { offset: "20", limit: "20" } },
};

/** A blog in lists of followed blogs. */
export const BLOG = {
  name: "ada",
  url: "https://ada.blog.example/",
  title: "Ada",
  description: "Notes",
  updated: 1_761_998_000,
  uuid: "t:AdaLvlc1842xEngineNote",
};

export const USER = {
  following: 25,
  default_post_format: "html",
  name: "demo",
  likes: 25,
  blogs: [
    {
      name: "demo",
      url: "https://demo.blog.example/",
      title: "Demo",
      primary: true,
      followers: 25,
      tweet: "auto",
      type: "public",
      uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw",
    },
    { name: "demo-secret", primary: false, followers: 0, tweet: "N", type: "private" },
  ],
};

const limit = (description: string, limit: number, remaining: number) => ({
  description,
  limit,
  remaining,
  reset_at: 1_762_041_600,
});

export const LIMITS = {
  blogs: limit("new blogs", 10, 9),
  follows: limit("follows", 200, 175),
  video_seconds: limit("seconds of video", 3600, 3600),
};
