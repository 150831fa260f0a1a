/** The limits of a block-based post. Exceeding a limit causes a 400 with subcode 8001. */
export const NPF_LIMITS = Object.freeze({
  postBytes: 1024 * 1024,
  blocks: 1000,
  textBlocks: 1000,
  textCodePoints: 4096,
  mentions: 50,
  inlineLinks: 100,
  link: 10,
  image: 30,
  audio: 10,
  video: 10,
  uploadedVideos: 1,
  poll: 1,
  captionCodePoints: 4096,
  linkFieldCodePoints: 140,
  pollAnswers: { min: 2, max: 12, codePoints: 80 },
  pollSeconds: { min: 86_400, max: 7 * 86_400 },
});

export const TEXT_SUBTYPES = [
  "heading1",
  "heading2",
  "quirky",
  "quote",
  "indented",
  "chat",
  "ordered-list-item",
  "unordered-list-item",
] as const;

/** The subtypes whose blocks may be indented. */
export const INDENTED = ["ordered-list-item", "unordered-list-item", "indented"] as const;

export const INLINE_TYPES = ["bold", "italic", "strikethrough", "small", "link", "mention", "color"] as const;

/** The allowed MIME types of an upload, by the kind of its block. */
export const MEDIA_TYPES: Readonly<Record<"image" | "audio" | "video", readonly string[]>> = Object.freeze({
  image: ["image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/avif"],
  audio: [
    "audio/mpeg",
    "audio/mp3",
    "audio/mp4",
    "audio/m4a",
    "audio/aac",
    "audio/ogg",
    "audio/wav",
    "audio/flac",
  ],
  video: ["video/mp4", "video/quicktime", "video/webm", "video/x-m4v", "video/mpeg"],
});
