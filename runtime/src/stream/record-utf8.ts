import { isUtf8 } from "node:buffer";

/** The text of a record. */
export interface RecordUtf8 {
  readonly text: string;
  /** Whether there were bytes that are not UTF-8; each was read as U+FFFD. */
  readonly malformed: boolean;
}

/** Bytes as text. */
export function utf8Of(bytes: Buffer): RecordUtf8 {
  const text = bytes.toString();
  // the text is asked first: for most records, one byte a character, that costs nothing
  return { text, malformed: text.includes("\ufffd") && !isUtf8(bytes) };
}
