/** The table of HPACK that each side keeps for the other, in bytes (RFC 9113 section 6.5.2). */
const TABLE_BYTES = 4096;

/** What counts for each header beside its text (RFC 7541 section 4.1). */
const HEADER_OVERHEAD = 32;

/**
 * How many bytes of headers a byte on the wire may stand for, table aside: Huffman codes make 1.6 of one, and
 * names of the static table, with the overhead of their headers, more.
 */
const EXPANSION = 4;

/** What is free for each connection, in bytes. */
const FREE_BYTES = 64 * 1024;

/**
 * Tells headers that were made by HPACK from headers that were sent. A header is named by one byte once it is
 * in the table, and the table is small: a request whose headers are much larger than the table and what is on
 * the wire repeats one of them, which no client has a reason to do.
 */
export class HeaderBudget {
  private readonly received: () => number;
  private beyondTable = 0;

  /** @param received says how many bytes have come on the connection */
  constructor(received: () => number) {
    this.received = received;
  }

  /** Counts the headers or trailers of a request, names and values in turn; true when there were too many. */
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
