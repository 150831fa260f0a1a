import { createHash } from "node:crypto";
import type { Call } from "../dispatch/call.ts";
import { reject } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { MEDIA_TYPES } from "../npf/limits.ts";
import type { LegacyType } from "../store/posts.ts";
import { escapeHtml } from "../view/html.ts";
import { withNativeImages } from "./inline-images.ts";

/** The types that clients may post. An answer is created only by answering a question. */
export const POSTABLE = ["text", "photo", "quote", "link", "chat", "audio", "video"] as const;

/** An uploaded file of a legacy request. */
export interface LegacyFile {
  readonly size: number;
  readonly sha256: string;
  readonly type: string;
}

function tooLarge(size: number, most: number): void {
  if (size > most) throw reject(400, `File of ${size} bytes, at most ${most}`, 8005);
}

function isData(name: string): boolean {
  return /^data(\[\d*\])?$/.test(name);
}

function hashed(bytes: Buffer, type: string): LegacyFile {
  return { size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), type };
}

/** Returns the files in `data`, in any encoding. */
function dataFiles(call: Call, kind: "image" | "audio" | "video"): LegacyFile[] {
  const { limits } = call.world;
  const most = kind === "video" ? limits.videoBytes : limits.fileBytes;
  const parts: LegacyFile[] = call.body.parts.filter((part) => isData(part.name));
  const inForm = call.body.encoding === "multipart" ? [] : call.input.list("data");
  const files = [...parts, ...inForm.map((value) => hashed(Buffer.from(value), "application/octet-stream"))];
  for (const file of files) {
    tooLarge(file.size, most);
    const known = file.type !== "application/octet-stream" && file.type !== "text/plain";
    if (known && !MEDIA_TYPES[kind].includes(file.type)) {
      throw reject(400, `${file.type} is not accepted for ${kind}`, 8005);
    }
    if (file.size === 0) throw reject(400, "An empty file", 8005);
  }
  return files;
}

/** Returns the files in `data64`, which is one or several base64 strings. */
function base64Files(call: Call): LegacyFile[] {
  return call.input.list("data64").map((value) => {
    const text = value.replaceAll(/\s/g, "").replaceAll(" ", "+");
    if (text === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
      throw reject(400, "data64 is not base64", 8005);
    }
    const bytes = Buffer.from(text, "base64");
    tooLarge(bytes.length, call.world.limits.fileBytes);
    return hashed(bytes, "application/octet-stream");
  });
}

const MEDIA = "https://media.blog.example";

function photo(url: string): JsonObject {
  const sizes = [1280, 500, 75].map((width) => ({
    width,
    height: Math.round(width * 0.75),
    url: width === 1280 ? url : `${url}?w=${width}`,
  }));
  return { caption: "", original_size: sizes[0], alt_sizes: sizes };
}

type Read = (call: Call, files: LegacyFile[]) => JsonObject;

function need(fields: JsonObject, ...names: string[]): JsonObject {
  for (const name of names) {
    if (fields[name] === undefined || fields[name] === "") {
      throw reject(400, `Missing required parameter: ${name}`);
    }
  }
  return fields;
}

/** Returns the values in a request for these names, without absent values. */
function given(call: Call, map: Record<string, string>): JsonObject {
  const out: JsonObject = {};
  for (const [parameter, field] of Object.entries(map)) {
    const value = call.input.text(parameter);
    if (value !== undefined) out[field] = value;
  }
  return out;
}

const escaped = (fields: JsonObject, name: string) =>
  typeof fields[name] === "string" ? { ...fields, [name]: escapeHtml(fields[name]) } : fields;

const readPhoto: Read = (call, files) => {
  const fields = given(call, { caption: "caption", link: "link_url" });
  const source = call.input.text("source");
  files.push(...dataFiles(call, "image"), ...base64Files(call));
  const urls = source ? [source] : files.map((file) => `${MEDIA}/${file.sha256.slice(0, 32)}.jpg`);
  if (urls.length === 0) return fields;
  if (source && !/^https?:\/\//.test(source)) throw reject(400, `Invalid source: ${source}`);
  const rows = urls.length > 1 ? { photoset_layout: "1".repeat(urls.length) } : {};
  return { ...fields, width: 1280, height: 960, photos: urls.map(photo), ...rows };
};

function dialogue(conversation: string): JsonObject[] {
  return conversation
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf(":");
      if (at < 0) return { name: "", label: "", phrase: line.trim() };
      const name = line.slice(0, at).trim();
      return { name, label: `${name}:`, phrase: line.slice(at + 1).trim() };
    });
}

const readChat: Read = (call) => {
  const fields = given(call, { title: "title", conversation: "body" });
  return typeof fields.body === "string" ? { ...fields, dialogue: dialogue(fields.body) } : fields;
};

const readAudio: Read = (call, files) => {
  const fields = given(call, { caption: "caption", external_url: "audio_url" });
  const upload = dataFiles(call, "audio")[0];
  if (upload) files.push(upload);
  if (typeof fields.audio_url !== "string" && !upload) return fields;
  const url = upload ? `${MEDIA}/${upload.sha256.slice(0, 32)}.mp3` : fields.audio_url;
  const player = `<iframe src="${escapeHtml(String(url))}"></iframe>`;
  return {
    ...fields,
    player,
    embed: player,
    plays: 0,
    audio_url: url,
    audio_type: upload ? "native" : "external",
    is_external: !upload,
  };
};

/** Hosts of video services, including their subdomains. */
const VIDEO_HOSTS: readonly string[] = [
  "dai.ly",
  "dailymotion.com",
  "instagram.com",
  "tiktok.com",
  "twitch.tv",
  "video.example",
  "vidstream.example",
  "vimeo.com",
  "youtu.be",
  "youtube-nocookie.com",
  "youtube.com",
];

function isVideo(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? "";
  return VIDEO_HOSTS.some((name) => host === name || host.endsWith(`.${name}`));
}

const readVideo: Read = (call, files) => {
  const fields = given(call, { caption: "caption" });
  const embed = call.input.text("embed");
  const upload = dataFiles(call, "video")[0];
  if (upload) files.push(upload);
  if (!embed && !upload) return fields;
  if (embed && /^\w+:\/\/\S+$/.test(embed) && !isVideo(embed)) {
    throw reject(400, "The video's service is not supported");
  }
  const url = upload ? `${MEDIA}/${upload.sha256.slice(0, 32)}.mp4` : embed;
  const code = embed?.startsWith("<") ? embed : `<iframe src="${escapeHtml(String(url))}"></iframe>`;
  const player = [250, 400, 500].map((width) => ({ width, embed_code: code }));
  return { ...fields, player, video_url: url, video_type: upload ? "native" : "embed", html5_capable: true };
};

const READERS: Record<(typeof POSTABLE)[number], { read: Read; required: string[] }> = {
  text: {
    read: (call) => escaped(given(call, { title: "title", body: "body" }), "title"),
    required: ["body"],
  },
  photo: { read: readPhoto, required: ["photos"] },
  quote: {
    read: (call) => escaped(given(call, { quote: "text", source: "source" }), "text"),
    required: ["text"],
  },
  link: {
    read: (call) => {
      const names = {
        url: "url",
        title: "title",
        description: "description",
        excerpt: "excerpt",
        author: "link_author",
      };
      const thumbnail = call.input.text("thumbnail");
      return { ...given(call, names), ...(thumbnail ? { photos: [photo(thumbnail)] } : {}) };
    },
    required: ["url"],
  },
  chat: { read: readChat, required: ["body"] },
  audio: { read: readAudio, required: ["audio_url"] },
  video: { read: readVideo, required: ["player"] },
};

/**
 * Reads the parameters of a type. The current fields of the post apply as well. Throws 400 if a required
 * field is still missing.
 */
export function readLegacy(
  call: Call,
  type: LegacyType,
  current: JsonObject,
): { fields: JsonObject; files: LegacyFile[] } {
  const reader = type === "answer" ? undefined : READERS[type];
  const files: LegacyFile[] = [];
  const read = reader ? reader.read(call, files) : given(call, { answer: "answer" });
  const fields = { ...current, ...(call.input.flag("native_inline_images") ? withNativeImages(read) : read) };
  return { fields: need(fields, ...(reader?.required ?? [])), files };
}
