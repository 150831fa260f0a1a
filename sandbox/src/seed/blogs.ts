import type { JsonObject } from "../json.ts";
import type { Database } from "../store/database.ts";
import { EPOCH } from "./epoch.ts";

/** The number of blogs that follow `demo`: more than fit on a page. */
export const READERS = 24;

function theme(seed: string, avatarShape: "circle" | "square"): JsonObject {
  const image = (size: string) => `https://media.blog.example/headers/${seed}_${size}.png`;
  return {
    avatar_shape: avatarShape,
    background_color: "#FAFAFA",
    body_font: "Helvetica Neue",
    header_bounds: "0,1280,720,0",
    header_image: image("full"),
    header_image_npf: {
      type: "image",
      media: [
        { type: "image/png", url: image("1280"), width: 1280, height: 720 },
        { type: "image/png", url: image("640"), width: 640, height: 360 },
      ],
    },
    header_image_focused: image("focused"),
    header_image_poster: "",
    header_image_scaled: image("scaled"),
    header_stretch: true,
    header_full_width: 1280,
    header_full_height: 720,
    header_focus_width: 1280,
    header_focus_height: 720,
    link_color: "#529ECC",
    show_avatar: true,
    show_description: true,
    show_header_image: true,
    show_title: true,
    title_color: "#444444",
    title_font: "Gibson",
    title_font_weight: "bold",
  };
}

function shown(name: string, title: string, description: string, more: JsonObject = {}): JsonObject {
  return {
    title,
    description,
    ask: false,
    asks_allow_media: true,
    ask_page_title: "Ask me anything",
    submission_page_title: "Submit",
    can_chat: false,
    can_submit: false,
    can_subscribe: false,
    subscribed: false,
    can_be_followed: true,
    is_nsfw: false,
    active: true,
    theme_id: 3814,
    theme: theme(name, "square"),
    ...more,
  };
}

interface SeedBlog {
  readonly name: string;
  readonly uuid: string;
  readonly owner: string;
  readonly data: JsonObject;
  readonly customDomain?: string;
  readonly private?: boolean;
  readonly shareLikes?: boolean;
  readonly shareFollowing?: boolean;
  readonly members?: [user: string, admin: boolean][];
}

const PLAN = {
  description: "Support this blog",
  currency_code: "USD",
  monthly_price: "399",
  yearly_price: null,
  member_perks: ["Early posts", "Sketches"],
  subscription_label: "Become a member",
  checkout_labels: { monthly: "Monthly", yearly: "Yearly", support: "Support" },
  is_valid: true,
};

/**
 * The seeded blogs. `demo`, `demo-journal` and `newsroom` belong to the user demo. `ada` has a custom domain.
 */
export const BLOGS: readonly SeedBlog[] = [
  {
    name: "demo",
    uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw",
    owner: "demo",
    data: shown("demo", "Demo & friends", "A blog with <b>everything</b> on it \u2014 \u{1F333}", {
      ask: true,
      ask_anon: true,
      can_submit: true,
      can_subscribe: true,
      submission_terms: {
        accepted_types: ["text", "photo", "quote", "link", "video"],
        tags: ["submitted", "reader"],
        title: "Send me things",
        guidelines: "<p>Be kind.</p>",
      },
    }),
  },
  {
    name: "demo-journal",
    uuid: "t:DjournalP7ZC8Qw2mXoRtA",
    owner: "demo",
    private: true,
    data: shown("demo-journal", "Journal", "Private notes"),
  },
  {
    name: "newsroom",
    uuid: "t:Nwsr00mV3yTq9LbKzEhJfw",
    owner: "demo",
    members: [["ada", false]],
    data: shown("newsroom", "The Newsroom", "Several people write here", { theme: [] }),
  },
  {
    name: "ada",
    uuid: "t:AdaLvlc1842xEngineNote",
    owner: "ada",
    customDomain: "notes.ada.example",
    data: shown("ada", "Ada's notes", "On engines", {
      theme: theme("ada", "circle"),
      subscription_plan: PLAN,
      is_paywall_on: true,
      paywall_access: "non-member",
    }),
  },
  {
    name: "ada-secret",
    uuid: "t:AdaS3cretBlogNobodySee",
    owner: "ada",
    private: true,
    data: shown("ada-secret", "Secret", "Nobody sees this"),
  },
  {
    name: "grace",
    uuid: "t:Grac3H0pperNanosecond1",
    owner: "grace",
    shareLikes: false,
    shareFollowing: false,
    data: shown("grace", "Nanoseconds", "Likes stay mine"),
  },
];

/**
 * Returns the name of a reader, whose number is from 1 to `READERS`. The user and the blog have the same
 * name.
 */
export function readerName(i: number): string {
  return `reader-${String(i).padStart(2, "0")}`;
}

/** All seeded users. Each user has a primary blog with the same name. */
export const USERS: readonly string[] = [
  "demo",
  "ada",
  "grace",
  ...Array.from({ length: READERS }, (_, i) => readerName(i + 1)),
];

function reader(i: number): SeedBlog {
  const name = readerName(i);
  return {
    name,
    uuid: `t:R3ader${String(i).padStart(16, "0")}`,
    owner: name,
    data: shown(name, `Reader ${i}`, ""),
  };
}

/** Returns the UUID of a seeded blog. */
export function uuidOf(name: string): string {
  const found = [...BLOGS, ...Array.from({ length: READERS }, (_, i) => reader(i + 1))].find(
    (blog) => blog.name === name,
  );
  if (!found) throw new Error(`no seeded blog ${name}`);
  return found.uuid;
}

function insertBlog(db: Database, blog: SeedBlog): void {
  db.insert("blogs", {
    uuid: blog.uuid,
    name: blog.name,
    custom_domain: blog.customDomain,
    owner: blog.owner,
    private: blog.private ? 1 : 0,
    share_likes: blog.shareLikes === false ? 0 : 1,
    share_following: blog.shareFollowing === false ? 0 : 1,
    updated: EPOCH,
    data: JSON.stringify(blog.data),
  });
  db.insert("members", { blog: blog.uuid, user: blog.owner, admin: 1 });
  for (const [user, admin] of blog.members ?? []) {
    db.insert("members", { blog: blog.uuid, user, admin: admin ? 1 : 0 });
  }
}

export function seedBlogs(db: Database): void {
  for (const blog of BLOGS) insertBlog(db, blog);
  for (let i = 1; i <= READERS; i++) insertBlog(db, reader(i));
  for (const name of USERS) {
    db.insert("users", { name, primary_blog: uuidOf(name), password: `${name}-password` });
  }
}
