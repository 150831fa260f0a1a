/**
 * UTF-8 as a string with one character per byte. String functions work on a byte string, and offsets count
 * bytes, as they do in compilers.
 */
export type ByteString = string & { readonly bytes: unique symbol };

export function bytesOf(text: string): ByteString {
  return Buffer.from(text, "utf8").toString("latin1") as ByteString;
}

export function textOf(bytes: ByteString): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

export function fromUint8Array(bytes: Uint8Array): ByteString {
  return Buffer.from(bytes).toString("latin1") as ByteString;
}

export function toUint8Array(bytes: ByteString): Uint8Array {
  return new Uint8Array(Buffer.from(bytes, "latin1"));
}
