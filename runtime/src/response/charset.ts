import type { Work } from "connect-rest-codec/internal";

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;

/**
 * Decodes a body in a charset other than UTF-8. Returns undefined if the Content-Type names UTF-8, an unknown
 * charset, or none. JSON has to be UTF-8 (RFC 8259 section 8.1), but old services send and declare ISO
 * 8859-1. Labels are defined in the Encoding standard, section 4.2. Invalid bytes become U+FFFD.
 */
export function foreignText(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  return foreignDecoder(contentType)?.decode(bytes);
}

/** Reports whether a Content-Type names a known charset other than UTF-8. */
export function isForeign(contentType: string | undefined): boolean {
  return contentType?.includes("=") === true && foreignDecoder(contentType) !== undefined;
}

/** The number of bytes that are decoded before other calls get a turn. */
const PIECE = 256 * 1024;

/** Like `foreignText`, but in pieces. */
export function* foreignTextInPieces(
  bytes: Uint8Array,
  contentType: string | undefined,
): Work<string | undefined> {
  const decoder = foreignDecoder(contentType);
  if (decoder === undefined) return undefined;
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    texts.push(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }));
    yield PIECE;
  }
  texts.push(decoder.decode());
  return texts.join("");
}

/**
 * Converts the chunks of a text body from the charset that the Content-Type names to UTF-8. In other
 * charsets, bytes that look like brackets or line ends may belong to other characters.
 */
export function inUtf8(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncIterable<Uint8Array> {
  const decoder = foreignDecoder(contentType);
  return decoder === undefined ? chunks : recoded(chunks, decoder);
}

async function* recoded(
  chunks: AsyncIterable<Uint8Array>,
  decoder: Decoder,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
  return undefined;
}

interface Decoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string;
}

function foreignDecoder(contentType: string | undefined): Decoder | undefined {
  const [, charset] = (contentType !== undefined && CHARSET.exec(contentType)) || [];
  return charset === undefined || UTF_8.test(charset) ? undefined : decoderOf(charset);
}

function decoderOf(label: string): Decoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
