import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { reject } from "./response.ts";

/** A part of a multipart body. Media is hashed as it arrives, and never buffered. Text is buffered. */
export interface Part {
  readonly name: string;
  filename?: string;
  /** The `Content-Type` of the part. Default: `text/plain`. */
  readonly type: string;
  size: number;
  sha256: string;
  /** The first bytes, which are enough to recognize a format by its signature. */
  head: Buffer;
  /** The text of the part. Absent for media. */
  text?: string;
}

/** The maximum total size of the text parts of a body in bytes. A 10 MB file in base64 fits. */
const TEXT_LIMIT = 16 * 1024 * 1024;
const HEAD_BYTES = 64;

function isText(name: string, type: string, filename: string | undefined): boolean {
  if (name === "json") return true;
  return filename === undefined && (type.startsWith("text/") || type === "application/json");
}

async function readPart(part: Part, stream: Readable, budget: { text: number }): Promise<void> {
  const hash = createHash("sha256");
  const keep = isText(part.name, part.type, part.filename);
  const kept: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (part.head.length < HEAD_BYTES) part.head = Buffer.concat([part.head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    part.size += chunk.length;
    if (!keep) continue;
    budget.text -= chunk.length;
    if (budget.text >= 0) kept.push(chunk);
  }
  part.sha256 = hash.digest("hex");
  if (keep) part.text = Buffer.concat(kept).toString("utf8");
}

/**
 * Reads a `multipart/form-data` body as a stream, with parts in any order. Throws 400 for a malformed body.
 */
export async function readMultipart(request: IncomingMessage): Promise<Part[]> {
  const parts: Part[] = [];
  const reading: Promise<void>[] = [];
  const budget = { text: TEXT_LIMIT };
  let parser: BusboyInstance;
  try {
    parser = new Busboy({
      headers: { ...request.headers, "content-type": request.headers["content-type"] ?? "" },
      isPartAFile: () => true,
    });
  } catch {
    throw reject(400, "Malformed multipart body: no boundary");
  }
  parser.on("file", (name, stream, filename, _encoding, type) => {
    const part: Part = { name: name ?? "", type, size: 0, sha256: "", head: Buffer.alloc(0) };
    if (filename !== undefined) part.filename = filename;
    parts.push(part);
    const done = readPart(part, stream as Readable, budget);
    done.catch(() => undefined);
    reading.push(done);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      parser.once("finish", resolve);
      parser.once("error", reject);
      request.once("aborted", () => reject(new Error("aborted")));
      request.pipe(parser);
    });
    await Promise.all(reading);
  } catch {
    request.unpipe(parser);
    request.resume();
    throw reject(400, "Malformed multipart body");
  }
  if (budget.text < 0) throw reject(413, "Text parts are too large");
  return parts;
}
