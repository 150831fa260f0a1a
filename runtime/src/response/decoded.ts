import type { FoundDifferences } from "connect-rest-codec/internal";

/** A response message. */
export interface Decoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What was not as declared. */
  readonly differences: FoundDifferences;
}

/** Items of a page, each a response message. */
export interface DecodedItems {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  readonly differences: FoundDifferences;
}
