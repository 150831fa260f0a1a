import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import type { Call } from "../dispatch/call.ts";
import { bytes, envelope, type HttpResponse, reject } from "../http/response.ts";
import { blogByUuid, requireBlog } from "../store/blogs.ts";

const SIZES = [16, 24, 30, 40, 48, 64, 96, 128, 512];
const DEFAULT_SIZE = 64;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Draws a square PNG in one color that depends on the blog's UUID. */
function png(uuid: string, size: number): Buffer {
  const color = createHash("sha256").update(uuid).digest().subarray(0, 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: size }, () => color)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function wantsJson(call: Call): boolean {
  const jsonp = call.query.has("jsonp") || call.query.has("callback");
  return jsonp || call.caller.via === "oauth1" || /\bapplication\/json\b/i.test(call.headers.accept ?? "");
}

/**
 * Handles GET /v2/blog/{blog-identifier}/avatar[/size]. Responds with the PNG or, to signed requests, with a
 * 302 to the address of the image.
 */
export function blogAvatar(call: Call): HttpResponse {
  const blog = requireBlog(call.world.db, call.path.blog ?? "");
  const size = call.path.size === undefined ? DEFAULT_SIZE : Number(call.path.size);
  if (!SIZES.includes(size)) throw reject(400, `Invalid size: expected one of ${SIZES.join(", ")}`);
  if (!wantsJson(call)) return bytes(png(blog.uuid, size), "image/png");
  const location = `${call.origin}/media/avatars/${encodeURIComponent(blog.uuid)}/${size}.png`;
  return envelope({ avatar_url: location }, 302, { location });
}

/** Handles GET /media/avatars/{uuid}/{size}.png, the address of avatar images. */
export function avatarImage(call: Call): HttpResponse {
  const size = Number(/^(\d+)\.png$/.exec(call.path.file ?? "")?.[1]);
  if (!SIZES.includes(size)) throw reject(404, "No such image");
  const { uuid } = requireBlog(call.world.db, call.path.uuid ?? "");
  return bytes(png(blogByUuid(call.world.db, uuid).uuid, size), "image/png");
}
