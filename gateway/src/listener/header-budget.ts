/** The size of the HPACK table that each side keeps for the other, in bytes (RFC 9113 section 6.5.2). */
const TABLE_BYTES = 4096;

/** The overhead of each header in addition to its name and value (RFC 7541 section 4.1). */
const HEADER_OVERHEAD = 32;

/**
 * The maximum number of header bytes per byte on the wire, without the dynamic table. Huffman coding expands
 * by a factor of 1.6; names in the static table, with the overhead per header, expand more.
 */
const EXPANSION = 4;

/** The number of header bytes per connection that are not counted. */
const FREE_BYTES = 64 * 1024;

/**
 * Detects headers that HPACK expands to far more bytes than were sent. Once in the table, a header is
 * referenced with one byte, but the table is small. A request whose headers far exceed the table and its wire
 * size must therefore repeat a header, which no legitimate client does.
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
