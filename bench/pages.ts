import { gzipSync } from "node:zlib";

// The configured lib types lack rawJSON, which every supported Node version has.
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
  /** The number of posts. */
  readonly posts: number;
  /** The value of `offset` that requests the page. */
  readonly offset: number;
  /** The size label of the page in tables. */
  readonly label: string;
  readonly json: string;
  /** The compressed body for clients that accept gzip. Default: the JSON. */
  readonly gzip?: Uint8Array;
  /** The exact identifiers of the posts. */
  readonly ids: readonly bigint[];
}

/** Keys that only some posts have. */
const RARE: Readonly<Record<string, string | number | boolean>> = {
  source_url: "https://example.com/a/source",
  source_title: "A source",
  parent_post_url: "https://other.blog.example/post/1",
  reblogged_from_name: "other",
  reblogged_from_title: "Another blog",
  reblogged_from_following: true,
  reblogged_root_name: "root",
  reblogged_root_can_message: false,
  can_like: true,
  can_reblog: true,
  can_reply: false,
  followed: false,
  liked: true,
  display_avatar: true,
  is_blazed: false,
  is_pinned: true,
  post_author: "demo",
  reply_count: 3,
  like_count: 14,
  serve_id: "0f5b8d2c",
  a_key_of_next_year: "kept",
};

/** All letters, the most frequent ones first. */
const LETTERS = "etaoinsrhldcumfpgwybvkxjqz";

/** Keys that every post must have. */
const NEEDED: ReadonlySet<string> = new Set([
  "type",
  "id",
  "id_string",
  "body",
  "blog",
  "timestamp",
  "state",
  "format",
]);

/**
 * Pages of several sizes. Every id is an 18-digit number, and another key has the same id as a string. On
 * most pages all posts have the same keys in the same order, unlike real posts. On the varied page, posts
 * lack keys, have extra keys, and differ in order.
 */
export const PAGES: readonly Page[] = [
  page({ offset: 1, posts: 1, label: "1 KB", textLength: 20 }),
  page({ offset: 2, posts: 20, label: "25 KB", textLength: 455 }),
  page({ offset: 3, posts: 19, label: "25 KB varied", textLength: 455, isVaried: true }),
  page({
    offset: 7,
    posts: 19,
    label: "25 KB varied, gzip",
    textLength: 455,
    isVaried: true,
    isCompressed: true,
  }),
  page({ offset: 4, posts: 200, label: "250 KB", textLength: 455 }),
  page({ offset: 5, posts: 2000, label: "2.5 MB", textLength: 455 }),
];

let large: Page | undefined;

/** Returns the page for measuring blocked time. The page is created on first use. */
export function largePage(): Page {
  large ??= page({ offset: 6, posts: 6400, label: "6,400 posts", textLength: 455 });
  return large;
}

/** Returns the page that a request target selects by its `offset`. */
export function pageFor(target: string): Page | undefined {
  const offset = /[?&]offset=(\d+)(?:&|$)/.exec(target)?.[1];
  return offset === "6" ? largePage() : PAGES.find((page) => String(page.offset) === offset);
}

interface PageSize {
  readonly offset: number;
  readonly posts: number;
  readonly label: string;
  readonly textLength: number;
  /** Default: false. */
  readonly isVaried?: boolean;
  /**
   * Whether the page also exists compressed, for clients that accept gzip. The texts of such a page compress
   * like real texts. Default: false.
   */
  readonly isCompressed?: boolean;
}

function page({ offset, posts, label, textLength, isVaried = false, isCompressed = false }: PageSize): Page {
  const random = createRandom(posts);
  const ids = Array.from({ length: posts }, (_, i) => FIRST_ID - 1009n * BigInt(i));
  const response = {
    blog: BLOG,
    posts: ids.map((id, i) => {
      const plain = post(id, i, isCompressed ? words(textLength, random) : text(textLength));
      return isVaried ? vary(plain, random) : plain;
    }),
    total_posts: 53,
  };
  const json = JSON.stringify({ meta: { status: 200, msg: "OK" }, response });
  const known = { posts, offset, label, ids, json };
  return isCompressed ? { ...known, gzip: gzipSync(json) } : known;
}

function post(id: bigint, index: number, body: string): object {
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
    body,
  };
}

/** Returns a post with some keys removed, rare ones added, and a shuffled order. */
function vary(post: object, random: () => number): object {
  const usual = Object.entries(post).filter(([key]) => NEEDED.has(key) || random() < 0.8);
  const rare = Object.entries(RARE).filter(() => random() < 0.25);
  const entries = [...usual, ...rare];
  for (let i = entries.length - 1; i > 0; i--) {
    if (random() < 0.5) continue;
    const j = Math.floor(random() * (i + 1));
    [entries[i], entries[j]] = [entries[j], entries[i]] as [(typeof usual)[number], (typeof usual)[number]];
  }
  return Object.fromEntries(entries);
}

/** Returns reproducible numbers from 0 to 1 (a linear congruential generator). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
}

function text(length: number): string {
  return '<p>The quick brown fox — «jumps» over the "lazy" dog &amp; runs away.</p>\n'
    .repeat(20)
    .slice(0, length);
}

/** Returns made-up words of a total length. */
function words(length: number, random: () => number): string {
  const letter = () => LETTERS[Math.floor(random() ** 2 * LETTERS.length)];
  const word = () => Array.from({ length: 2 + Math.floor(random() * 8) }, letter).join("");
  let made = "<p>";
  while (made.length < length) made += `${word()} `;
  return `${made.slice(0, length - 4)}</p>`;
}
