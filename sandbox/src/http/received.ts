import type { IncomingMessage } from "node:http";

/** A request as it was received. */
export class ReceivedRequest {
  readonly method: string;
  /** The request target exactly as it was sent, including the query. */
  readonly url: string;
  /** Header names in lower case. */
  readonly headers: IncomingMessage["headers"];
  /** Alternating names and values, in their original order and case. */
  readonly rawHeaders: string[];
  readonly httpVersion: string;
  /** The time in milliseconds since 1970, by the clock of the sandbox. */
  readonly at: number;
  /** The number of bytes of the body that have arrived so far. */
  size = 0;
  private readonly chunks: Buffer[] = [];
  private kept = 0;

  constructor(request: IncomingMessage, at: number, keepBytes: number) {
    this.method = request.method ?? "";
    this.url = request.url ?? "";
    this.headers = request.headers;
    this.rawHeaders = request.rawHeaders;
    this.httpVersion = request.httpVersion;
    this.at = at;
    const push = request.push.bind(request);
    // overriding `push` shows every byte without starting the flow, so the reader still controls backpressure
    request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk) {
        this.size += chunk.length;
        if (this.kept < keepBytes) {
          this.chunks.push(Buffer.from(chunk.subarray(0, keepBytes - this.kept)));
          this.kept += chunk.length;
        }
      }
      return push(chunk, encoding);
    };
  }

  /** The path as it was sent, without the query. */
  get path(): string {
    return this.url.split("?", 1)[0] ?? "";
  }

  /** The decoded query. */
  get query(): URLSearchParams {
    return new URLSearchParams(this.url.split("?").slice(1).join("?"));
  }

  /** The bytes of the body, up to the configured size (1 MiB by default). */
  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** The body as text. */
  get text(): string {
    return this.body.toString("utf8");
  }

  /** The body as plain JSON. Throws if it is malformed. */
  get json(): unknown {
    return JSON.parse(this.text);
  }
}

/** The received requests, oldest first. Only the newest are kept. */
export class ReceivedList {
  private readonly limit: number;
  private readonly keepBytes: number;
  private items: ReceivedRequest[] = [];
  private count = 0;

  constructor(limit: number, keepBytes: number) {
    this.limit = limit;
    this.keepBytes = keepBytes;
  }

  record(request: IncomingMessage, at: number): ReceivedRequest {
    const item = new ReceivedRequest(request, at, this.limit > 0 ? this.keepBytes : 0);
    this.count++;
    if (this.limit > 0) this.items.push(item);
    if (this.items.length > this.limit) this.items.shift();
    return item;
  }

  /** Returns all kept requests, or the requests whose path contains a string or matches a pattern. */
  all(match?: string | RegExp): ReceivedRequest[] {
    if (match === undefined) return [...this.items];
    return this.items.filter((item) =>
      typeof match === "string" ? item.path.includes(match) : match.test(item.path),
    );
  }

  /** The newest request. */
  get last(): ReceivedRequest | undefined {
    return this.items.at(-1);
  }

  /**
   * The number of requests since the start or the last `clear`, including requests that have since been
   * dropped.
   */
  get total(): number {
    return this.count;
  }

  clear(): void {
    this.items = [];
    this.count = 0;
  }

  [Symbol.iterator](): Iterator<ReceivedRequest> {
    return this.items[Symbol.iterator]();
  }
}
