// Lib types of this age do not know it; every supported Node does.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const FIRST_ID = 735_000_000_000_051_460n;
const FIRST_TIME = 1_761_994_800;

const BLOG = {
  name: "demo",
  title: "Demo & friends",
  description: "A blog with <b>everything</b> on it",
  url: "https://demo.blog.example/",
  uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw",
  updated: FIRST_TIME,
};

/** A page of posts as an upstream sends it. */
export interface Page {
  /** Number of posts, and the `limit` that asks for the page. */
  readonly posts: number;
  /** The size that the page stands for, in tables. */
  readonly label: string;
  readonly json: string;
  /** The exact identifiers of its posts. */
  readonly ids: readonly bigint[];
}

/** Pages of about 1 KB and 25 KB. Every id is a bare number of 18 digits, with its exact text beside it. */
export const PAGES: readonly Page[] = [
  page({ posts: 1, label: "1 KB", textLength: 20 }),
  page({ posts: 20, label: "25 KB", textLength: 455 }),
];

/** The page that a request's target asks for by its `limit`. */
export function pageFor(target: string): Page | undefined {
  const limit = /[?&]limit=(\d+)(?:&|$)/.exec(target)?.[1];
  return PAGES.find(({ posts }) => String(posts) === limit);
}

interface PageSize {
  readonly posts: number;
  readonly label: string;
  readonly textLength: number;
}

function page({ posts, label, textLength }: PageSize): Page {
  const ids = Array.from({ length: posts }, (_, i) => FIRST_ID - 1009n * BigInt(i));
  const response = {
    blog: BLOG,
    posts: ids.map((id, i) => post(id, i, textLength)),
    total_posts: 53,
  };
  return { posts, label, ids, json: JSON.stringify({ meta: { status: 200, msg: "OK" }, response }) };
}

function post(id: bigint, index: number, textLength: number): object {
  const slug = `a-page-of-posts-number-${index}`;
  return {
    type: "text",
    is_blocks_post_format: false,
    blog_name: "demo",
    blog: BLOG,
    id: rawJSON(String(id)),
    id_string: String(id),
    post_url: `https://demo.blog.example/post/${id}/${slug}`,
    slug,
    date: "2025-11-01 11:00:00 GMT",
    timestamp: FIRST_TIME - 3600 * index,
    state: "published",
    format: "html",
    reblog_key: "JBJ7fc9K",
    tags: ["seed", "demo", "Café au lait"],
    short_url: `https://blog.example/s/${String(id).slice(-10)}`,
    summary: `Post number ${index}`,
    note_count: 17 * index,
    should_open_in_legacy: false,
    recommended_source: null,
    body: text(textLength),
  };
}

function text(length: number): string {
  return '<p>The quick brown fox — «jumps» over the "lazy" dog &amp; runs away.</p>\n'
    .repeat(20)
    .slice(0, length);
}
