// A hand-written handler in Go: it reads the upstream's JSON into structs, and copies them to the generated
// messages of connect-go. It supports only text posts, because each further type would need more lines. Keys without
// a field are dropped.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	blogv1 "connect-rest-bench/gen/blog/v1"
	"connect-rest-bench/process"
)

type page struct {
	Response struct {
		Blog       *blog  `json:"blog"`
		Posts      []post `json:"posts"`
		TotalPosts *int32 `json:"total_posts"`
	} `json:"response"`
}

type blog struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	URL         string `json:"url"`
	UUID        string `json:"uuid"`
	Updated     int64  `json:"updated"`
}

type post struct {
	Type                    string   `json:"type"`
	IsBlocksPostFormat      bool     `json:"is_blocks_post_format"`
	BlogName                string   `json:"blog_name"`
	Blog                    *blog    `json:"blog"`
	ID                      uint64   `json:"id"`
	PostURL                 string   `json:"post_url"`
	Slug                    string   `json:"slug"`
	Date                    string   `json:"date"`
	Timestamp               int64    `json:"timestamp"`
	State                   string   `json:"state"`
	Format                  string   `json:"format"`
	ReblogKey               string   `json:"reblog_key"`
	Tags                    []string `json:"tags"`
	ShortURL                string   `json:"short_url"`
	Summary                 string   `json:"summary"`
	NoteCount               *int32   `json:"note_count"`
	ShouldOpenInLegacy      *bool    `json:"should_open_in_legacy"`
	RecommendedSource       string   `json:"recommended_source"`
	Body                    string   `json:"body"`
	SourceURL               string   `json:"source_url"`
	SourceTitle             string   `json:"source_title"`
	ParentPostURL           string   `json:"parent_post_url"`
	RebloggedFromName       string   `json:"reblogged_from_name"`
	RebloggedFromTitle      string   `json:"reblogged_from_title"`
	RebloggedFromFollowing  *bool    `json:"reblogged_from_following"`
	RebloggedRootName       string   `json:"reblogged_root_name"`
	RebloggedRootCanMessage *bool    `json:"reblogged_root_can_message"`
	CanLike                 *bool    `json:"can_like"`
	CanReblog               *bool    `json:"can_reblog"`
	CanReply                *bool    `json:"can_reply"`
	Followed                *bool    `json:"followed"`
	Liked                   *bool    `json:"liked"`
	DisplayAvatar           *bool    `json:"display_avatar"`
	IsBlazed                *bool    `json:"is_blazed"`
	IsPinned                *bool    `json:"is_pinned"`
	PostAuthor              string   `json:"post_author"`
	ReplyCount              *int32   `json:"reply_count"`
	LikeCount               *int32   `json:"like_count"`
	ServeID                 string   `json:"serve_id"`
}

var (
	types   = map[string]blogv1.PostType{"text": blogv1.PostType_POST_TYPE_TEXT}
	states  = map[string]blogv1.PostState{"published": blogv1.PostState_POST_STATE_PUBLISHED}
	formats = map[string]blogv1.PostFormat{"html": blogv1.PostFormat_POST_FORMAT_HTML}
)

func main() {
	upstream, client := process.Upstream(), process.Client()
	listPosts := func(ctx context.Context, in *blogv1.ListPostsRequest) (*blogv1.ListPostsResponse, error) {
		path := "/v2/blog/" + url.PathEscape(in.BlogIdentifier) + "/posts"
		query := fmt.Sprintf("?offset=%d&api_key=bench", in.Offset)
		body, err := process.Get(ctx, client, upstream+path+query)
		if err != nil {
			return nil, err
		}
		return read(body)
	}
	const procedure = "/blog.v1.PostService/ListPosts"
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandlerSimple(procedure, listPosts))
	process.Serve(mux)
}

func read(body []byte) (*blogv1.ListPostsResponse, error) {
	var page page
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, connect.NewError(connect.CodeInternal, err)
	}
	from := page.Response
	posts := make([]*blogv1.Post, len(from.Posts))
	for i := range from.Posts {
		posts[i] = toPost(&from.Posts[i])
	}
	return &blogv1.ListPostsResponse{Posts: posts, Blog: toBlog(from.Blog), TotalPosts: from.TotalPosts}, nil
}

func toPost(from *post) *blogv1.Post {
	return &blogv1.Post{
		Id:                      from.ID,
		BlogName:                from.BlogName,
		Blog:                    toBlog(from.Blog),
		PostUrl:                 from.PostURL,
		ShortUrl:                from.ShortURL,
		Slug:                    from.Slug,
		Summary:                 from.Summary,
		ReblogKey:               from.ReblogKey,
		Type:                    types[from.Type],
		TypeName:                from.Type,
		State:                   states[from.State],
		StateName:               from.State,
		Format:                  formats[from.Format],
		IsBlocksPostFormat:      from.IsBlocksPostFormat,
		Timestamp:               toTime(from.Timestamp),
		Date:                    from.Date,
		Tags:                    from.Tags,
		SourceUrl:               from.SourceURL,
		SourceTitle:             from.SourceTitle,
		ParentPostUrl:           from.ParentPostURL,
		NoteCount:               from.NoteCount,
		Liked:                   from.Liked,
		Body:                    &blogv1.Post_Text{Text: &blogv1.TextPost{Body: from.Body}},
		ShouldOpenInLegacy:      from.ShouldOpenInLegacy,
		RebloggedFromName:       from.RebloggedFromName,
		RebloggedFromTitle:      from.RebloggedFromTitle,
		RebloggedFromFollowing:  from.RebloggedFromFollowing,
		RebloggedRootName:       from.RebloggedRootName,
		RebloggedRootCanMessage: from.RebloggedRootCanMessage,
		CanLike:                 from.CanLike,
		CanReblog:               from.CanReblog,
		CanReply:                from.CanReply,
		Followed:                from.Followed,
		DisplayAvatar:           from.DisplayAvatar,
		IsBlazed:                from.IsBlazed,
		IsPinned:                from.IsPinned,
		PostAuthor:              from.PostAuthor,
		ReplyCount:              from.ReplyCount,
		LikeCount:               from.LikeCount,
		RecommendedSource:       from.RecommendedSource,
		ServeId:                 from.ServeID,
	}
}

func toBlog(from *blog) *blogv1.Blog {
	if from == nil {
		return nil
	}
	return &blogv1.Blog{
		Name:        from.Name,
		Uuid:        from.UUID,
		Url:         from.URL,
		Title:       from.Title,
		Description: from.Description,
		Updated:     toTime(from.Updated),
	}
}

func toTime(seconds int64) *timestamppb.Timestamp {
	return timestamppb.New(time.Unix(seconds, 0))
}
