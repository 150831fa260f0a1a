import { isUtf8 } from "node:buffer";

/** The text of a record. */
export interface RecordUtf8 {
  readonly text: string;
  /** Whether the record had invalid UTF-8. Each invalid byte was replaced by U+FFFD. */
  readonly malformed: boolean;
}

/** Decodes bytes as text. */
export function utf8Of(bytes: Buffer): RecordUtf8 {
  const text = bytes.toString();
  // checks the text first, which is nearly free for one-byte strings, the usual kind
  return { text, malformed: text.includes("\ufffd") && !isUtf8(bytes) };
}
