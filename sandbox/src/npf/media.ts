import { createHash } from "node:crypto";
import type { Part } from "../http/multipart.ts";
import { reject } from "../http/response.ts";
import { isObject, type JsonObject } from "../json.ts";
import { integerOf, invalid } from "./check.ts";
import { MEDIA_TYPES } from "./limits.ts";

export type MediaKind = keyof typeof MEDIA_TYPES;

/** The uploaded parts of a request, and the parts that blocks use. */
export class Uploads {
  private readonly parts: Map<string, Part>;
  private readonly limits: { fileBytes: number; videoBytes: number };
  /** The parts that blocks use, with the kind of the block. */
  readonly used = new Map<string, { kind: MediaKind; part: Part; type: string }>();

  constructor(parts: readonly Part[], limits: { fileBytes: number; videoBytes: number }) {
    this.limits = limits;
    this.parts = new Map();
    for (const part of parts) {
      if (this.parts.has(part.name)) throw invalid(`Two parts are named ${part.name}`);
      this.parts.set(part.name, part);
    }
  }

  /** Marks the part with this identifier as used, and returns the media object for the part. */
  claim(identifier: string, kind: MediaKind, media: JsonObject): JsonObject {
    const part = this.parts.get(identifier);
    if (!part) throw invalid(`No part is named ${identifier}`);
    const own =
      part.type === "text/plain" || part.type === "application/octet-stream" ? undefined : part.type;
    const type = typeof media.type === "string" ? media.type : (own ?? MEDIA_TYPES[kind][0] ?? "");
    const accepted = MEDIA_TYPES[kind];
    if (!accepted.includes(type) || (own !== undefined && !accepted.includes(own))) {
      throw reject(400, `Media type ${own ?? type} is not accepted for ${kind}`, 8005);
    }
    const most = kind === "video" ? this.limits.videoBytes : this.limits.fileBytes;
    if (part.size > most) throw reject(400, `${kind} of ${part.size} bytes, at most ${most}`, 8005);
    if (part.size === 0) throw reject(400, `Part ${identifier} is empty`, 8005);
    this.used.set(identifier, { kind, part, type });
    return uploadedMedia(part, kind, type, media);
  }

  /** Throws 8001 if no block uses one of the parts. */
  requireAllUsed(): void {
    for (const name of this.parts.keys()) {
      if (!this.used.has(name)) throw invalid(`No media object has the identifier ${name}`);
    }
  }
}

/** Returns the storage key of uploaded bytes, which consists of two strings joined by a colon. */
export function mediaKey(part: Part): string {
  return `${part.sha256.slice(0, 32)}:${part.sha256.slice(32, 48)}`;
}

function uploadedMedia(part: Part, kind: MediaKind, type: string, given: JsonObject): JsonObject {
  const extension = type.split("/")[1] ?? "bin";
  const media: JsonObject = {
    media_key: mediaKey(part),
    type,
    url: `https://media.blog.example/${part.sha256.slice(0, 32)}.${extension}`,
  };
  if (kind === "audio") return media;
  const sized = given.width !== undefined && given.height !== undefined;
  media.width = sized ? integerOf(given.width, "media.width") : 540;
  media.height = sized ? integerOf(given.height, "media.height") : 405;
  if (sized) {
    media.has_original_dimensions = true;
  } else {
    media.original_dimensions_missing = true;
  }
  return media;
}

const BY_EXTENSION: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  m4a: "audio/m4a",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

/** Checks the media object of a block: an upload by `identifier`, or a stored media object. */
export function mediaObject(value: unknown, kind: MediaKind, uploads: Uploads): JsonObject {
  if (!isObject(value)) throw invalid("media is not an object");
  if (value.identifier !== undefined) return uploads.claim(String(value.identifier), kind, value);
  if (typeof value.url !== "string" || !/^https?:\/\//.test(value.url)) {
    throw invalid("media has neither url nor identifier");
  }
  const guessed = BY_EXTENSION[value.url.split(/[?#]/)[0]?.split(".").at(-1)?.toLowerCase() ?? ""];
  const size =
    kind === "audio"
      ? {}
      : {
          width: integerOf(value.width ?? 540, "media.width"),
          height: integerOf(value.height ?? 405, "media.height"),
        };
  const key = createHash("sha256").update(value.url).digest("hex");
  return {
    media_key: `${key.slice(0, 32)}:${key.slice(32, 48)}`,
    ...value,
    type: value.type ?? guessed ?? MEDIA_TYPES[kind][0],
    ...size,
  };
}
