import type { FoundDifferences } from "connect-rest-codec/internal";

/** A response message. */
export interface Decoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The differences between the response and its declaration. */
  readonly differences: FoundDifferences;
  /** Whether differences must not fail the call, since an error would invite the caller to write again. */
  readonly isSettled?: boolean;
}

/** Items of a page as encoded response messages. */
export interface DecodedItems {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  readonly differences: FoundDifferences;
}
