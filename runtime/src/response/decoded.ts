import type { FoundDifferences } from "connect-rest-codec/internal";

/** A response message. */
export interface Decoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The differences from the declaration. */
  readonly differences: FoundDifferences;
  /** An error would invite the caller to write again, so no difference fails the call. */
  readonly isSettled?: boolean;
}

/** Items of a page, each a response message. */
export interface DecodedItems {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  readonly differences: FoundDifferences;
}
