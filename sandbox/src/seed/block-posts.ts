import type { JsonObject } from "../json.ts";

const MEDIA = "https://media.blog.example";

function image(name: string, more: JsonObject = {}): JsonObject {
  const media = [1280, 640, 75].map((width) => ({
    media_key: `${name}0123456789abcdef:fedcba98-${width}`,
    type: "image/jpeg",
    url: `${MEDIA}/${name}/s${width}.jpg`,
    width,
    height: Math.round(width * 0.75),
    ...(width === 1280 ? { has_original_dimensions: true } : { cropped: false }),
  }));
  return {
    type: "image",
    media,
    alt_text: `Picture ${name}`,
    colors: { c0: "a24615", c1: "ffe7ad", c2: 112233 },
    ...more,
  };
}

const ADA = { uuid: "t:AdaLvlc1842xEngineNote", name: "ada", url: "https://notes.ada.example/" };

const FORMATTED = {
  type: "text",
  text: "\u{1F333} bold, italic, gone, small, a link, @ada and red",
  formatting: [
    { start: 2, end: 6, type: "bold" },
    { start: 8, end: 14, type: "italic" },
    { start: 16, end: 20, type: "strikethrough" },
    { start: 22, end: 27, type: "small" },
    { start: 31, end: 35, type: "link", url: "https://example.org/?q=1&r=2" },
    { start: 37, end: 41, type: "mention", blog: ADA },
    { start: 46, end: 49, type: "color", hex: "#ff492f" },
  ],
};

const TEXTS: JsonObject[] = [
  { type: "text", subtype: "heading1", text: "Every text there is" },
  FORMATTED,
  { type: "text", subtype: "heading2", text: "Smaller" },
  { type: "text", subtype: "quirky", text: "Quirky" },
  { type: "text", subtype: "indented", text: "Indented", indent_level: 1 },
  { type: "text", subtype: "ordered-list-item", text: "One" },
  { type: "text", subtype: "unordered-list-item", text: "One, deeper", indent_level: 2 },
  { type: "text", text: "" },
  { type: "text", text: "The end." },
];

const AUDIO: JsonObject = {
  type: "audio",
  provider: "cloudsound",
  title: "Song of the Engine",
  artist: "The Difference Engines",
  album: "Analytical",
  url: "https://audio.example/77",
  embed_html: '<iframe src="https://audio.example/embed/77"></iframe>',
  embed_url: "https://audio.example/embed/77",
  poster: [{ type: "image/jpeg", url: `${MEDIA}/cover.jpg`, width: 500, height: 500 }],
  metadata: { cloudsound: { id: 77 } },
  attribution: {
    type: "app",
    url: "https://audio.example/",
    app_name: "Cloudsound",
    display_text: "Listen there",
    logo: { type: "image/png", url: `${MEDIA}/logo.png`, width: 32, height: 32 },
  },
};

const VIDEO: JsonObject = {
  type: "video",
  provider: "native",
  url: `${MEDIA}/film.mp4`,
  media: { type: "video/mp4", url: `${MEDIA}/film.mp4`, width: 640, height: 360, hd: false },
  poster: [{ type: "image/jpeg", url: `${MEDIA}/film_frame1.jpg`, width: 640, height: 360 }],
  filmstrip: { type: "image/jpeg", url: `${MEDIA}/film_strip.jpg`, width: 2000, height: 113 },
  embed_html: `<video src="${MEDIA}/film.mp4"></video>`,
  embed_iframe: { url: "https://demo.blog.example/video/1", width: 540, height: 405 },
  embed_url: "https://demo.blog.example/video/1",
  metadata: { id: "film1" },
  attribution: [],
  can_autoplay_on_cellular: true,
  duration: 61_500,
};

const LINK: JsonObject = {
  type: "link",
  url: "https://example.org/article",
  title: "An article",
  description: "What it says",
  author: "N. N.",
  site_name: "example.org",
  display_url: "https://example.org/article",
  poster: [{ type: "image/jpeg", url: `${MEDIA}/article.jpg`, width: 1200, height: 630 }],
};

const POLL: JsonObject = {
  type: "poll",
  client_id: "7d4b9f2e-2c7c-4d11-9c5e-0a4f0f5d6b01",
  question: "Tabs or spaces?",
  answers: [
    { client_id: "7d4b9f2e-2c7c-4d11-9c5e-0a4f0f5d6b02", answer_text: "Tabs" },
    { client_id: "7d4b9f2e-2c7c-4d11-9c5e-0a4f0f5d6b03", answer_text: "Spaces" },
  ],
  settings: {
    multiple_choice: false,
    close_status: "closed-after",
    expire_after: 604_800,
    source: "tumblelog",
  },
  created_at: "2025-10-01 12:00:00 GMT",
  timestamp: 1_759_320_000,
};

/** The content, layout and other fields of the seeded block-based posts. */
export const BLOCK_POSTS: readonly { content: JsonObject[]; layout: JsonObject[]; extra?: JsonObject }[] = [
  {
    content: TEXTS,
    layout: [{ type: "rows", display: TEXTS.map((_, i) => ({ blocks: [i] })), truncate_after: 1 }],
  },
  {
    content: [
      image("a", { caption: "First", clickthrough: { web_url: "https://example.org/", deeplink_url: null } }),
      image("b", {
        attribution: {
          type: "post",
          url: "https://notes.ada.example/post/1",
          post: { id: "735000000000000001" },
          blog: ADA,
        },
      }),
      image("c", {
        attribution: {
          type: "link",
          url: "https://example.org/c",
          url_redirect: "https://href.blog.example/?z=c",
        },
      }),
      image("d", {
        exif: { Time: 1_700_000_000, ISO: 100, Aperture: "2.8", CameraMake: "Pinhole", CameraModel: "3" },
      }),
      { type: "text", text: "Four pictures" },
    ],
    layout: [
      {
        type: "rows",
        display: [{ blocks: [0, 1] }, { blocks: [2, 3], mode: { type: "carousel" } }, { blocks: [4] }],
      },
    ],
  },
  { content: [AUDIO, { type: "text", text: "A song" }], layout: [] },
  { content: [VIDEO, { type: "text", text: "A film" }], layout: [] },
  { content: [LINK, { type: "text", text: "A link" }], layout: [] },
  { content: [{ type: "text", text: "Please vote" }, POLL], layout: [] },
  {
    content: [
      { type: "text", text: "Who wrote the first program?" },
      { type: "text", text: "Ada did." },
    ],
    layout: [{ type: "ask", blocks: [0], attribution: { type: "blog", url: ADA.url, blog: ADA } }],
    extra: { asking_name: "ada", asking_url: ADA.url },
  },
  {
    content: [
      { type: "text", text: "Free for all" },
      {
        type: "paywall",
        subtype: "cta",
        url: "https://demo.blog.example/support",
        is_visible: true,
        title: "Join %s",
        text: "There is more for members of %s",
      },
      { type: "text", text: "For members" },
    ],
    layout: [{ type: "rows", display: [{ blocks: [0] }, { blocks: [2] }] }],
    extra: {
      is_paywalled: true,
      paywall_access: "creator",
      paywall_reblog_view: { content: [{ type: "text", text: "Free for all" }], layout: [] },
    },
  },
  {
    content: [
      { type: "text", subtype: "quote", text: "Well begun is half done." },
      { type: "text", text: "Somebody" },
    ],
    layout: [],
  },
  {
    content: [
      {
        type: "text",
        subtype: "chat",
        text: "Ada: Does it work?",
        formatting: [{ start: 0, end: 4, type: "bold" }],
      },
      { type: "text", subtype: "chat", text: "Charles: Not yet." },
    ],
    layout: [],
  },
  {
    content: [
      { type: "hologram", url: "https://example.org/hologram", depth: 3 },
      { type: "text", text: "A block from the future" },
    ],
    layout: [{ type: "spiral", turns: 2 }],
  },
];
