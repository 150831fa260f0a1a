import { stringifyJson } from "connect-rest-codec/internal";
import type { BodyPart, PartContent } from "../adapter/rest-request.ts";

/** The head of a part whose content is written separately. */
export type PartHead = Pick<BodyPart, "name" | "filename" | "contentType">;

/** Returns the Content-Type of a `multipart/form-data` body (RFC 7578 section 4.1). */
export function multipartType(boundary: string): string {
  return `multipart/form-data; boundary=${boundary}`;
}

/** Encodes a complete `multipart/form-data` body (RFC 7578; framing of RFC 2046 section 5.1.1). */
export function encodeMultipart(parts: readonly BodyPart[], boundary: string): Buffer {
  return Buffer.concat([
    ...parts.flatMap((part) => encodePart(part, boundary)),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

/**
 * Encodes the bytes before the content of the last part, which is streamed: the earlier parts, and the head
 * of the last part. `encodeEnd` returns the bytes after the content.
 */
export function encodeUntil(parts: readonly BodyPart[], last: PartHead, boundary: string): Buffer {
  return Buffer.concat([
    ...parts.flatMap((part) => encodePart(part, boundary)),
    headOf(last, last.contentType, boundary),
  ]);
}

/** Returns the bytes after the content of the last part. */
export function encodeEnd(boundary: string): Buffer {
  return Buffer.from(`\r\n--${boundary}--\r\n`);
}

function encodePart(part: BodyPart, boundary: string): Uint8Array[] {
  const contentType = part.contentType ?? defaultType(part.content);
  return [headOf(part, contentType, boundary), bytesOf(part.content), Buffer.from("\r\n")];
}

function headOf({ name, filename }: PartHead, contentType: string | undefined, boundary: string): Buffer {
  const file = filename === undefined ? "" : `; filename="${escaped(filename)}"`;
  const type = contentType === undefined ? "" : `\r\ncontent-type: ${contentType}`;
  return Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"${file}${type}\r\n\r\n`,
  );
}

/**
 * Escapes a name as browsers do (WHATWG HTML, multipart/form-data encoding): in UTF-8, with three characters
 * escaped.
 */
function escaped(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

function defaultType({ kind }: PartContent): string | undefined {
  if (kind === "text") return undefined;
  return kind === "json" ? "application/json" : "application/octet-stream";
}

function bytesOf(content: PartContent): Uint8Array {
  switch (content.kind) {
    case "text":
      return Buffer.from(content.text);
    case "bytes":
      return content.bytes;
    case "json":
      return Buffer.from(stringifyJson(content.value));
  }
}
