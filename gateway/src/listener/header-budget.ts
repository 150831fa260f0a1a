/** The size of the HPACK table that each side keeps for the other, in bytes (RFC 9113 section 6.5.2). */
const TABLE_BYTES = 4096;

/** The number of bytes that each header counts in addition to its name and value (RFC 7541 section 4.1). */
const HEADER_OVERHEAD = 32;

/**
 * The maximum number of header bytes per byte on the wire, without the dynamic table. Huffman coding expands
 * by a factor of 1.6. Names from the static table expand more, since an overhead is added for each header.
 */
const EXPANSION = 4;

/** The number of header bytes per connection that are allowed in any case. */
const FREE_BYTES = 64 * 1024;

/**
 * Detects headers that HPACK expands to far more bytes than were sent. A header that is in the table is
 * referenced with one byte, but the table is small. If the headers of a request far exceed both the table and
 * their size on the wire, a header must therefore be repeated, which no legitimate client does.
 */
export class HeaderBudget {
  private readonly received: () => number;
  private beyondTable = 0;

  /** @param received returns the number of bytes received on the connection */
  constructor(received: () => number) {
    this.received = received;
  }

  /**
   * Counts the headers or trailers of a request, as alternating names and values; returns true if the limit
   * is exceeded.
   */
  isExceeded(rawHeaders: readonly string[]): boolean {
    const bytes = sizeOf(rawHeaders);
    if (bytes <= TABLE_BYTES) return false;
    this.beyondTable += bytes - TABLE_BYTES;
    return this.beyondTable > FREE_BYTES && this.beyondTable > FREE_BYTES + EXPANSION * this.received();
  }
}

function sizeOf(rawHeaders: readonly string[]): number {
  let bytes = (rawHeaders.length / 2) * HEADER_OVERHEAD;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
