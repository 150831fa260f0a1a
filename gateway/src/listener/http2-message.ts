import {
  constants,
  Http2ServerRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Readable } from "node:stream";

type Fields = Readonly<Record<string, string | string[]>>;

// a named constant, because Callbacks does not register this listener, which catches errors itself
const WANT_TRAILERS = "wantTrailers";

/**
 * A request over HTTP/2. Node's own request object is a second stream on top of the HTTP/2 stream, with nine
 * listeners. This class creates that object only if the body is read in chunks.
 */
export class Http2Request {
  readonly httpVersion = "2.0";
  readonly httpVersionMajor = 2;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  private compat: Http2ServerRequest | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: string[]) {
    this.stream = stream;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
  }

  get method(): string | undefined {
    return this.headers[":method"];
  }

  get url(): string | undefined {
    return this.headers[":path"];
  }

  /** Whether the whole request has arrived. */
  get complete(): boolean {
    const { stream, compat } = this;
    return stream.aborted || stream.destroyed || (compat?.complete ?? stream.readableEnded);
  }

  /** The emitter of `data` and `end` for the whole body. */
  get body(): Readable {
    return this.compat ?? this.stream;
  }

  /** Iterates over the chunks of the body until the stream ends, for whatever reason. */
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterator<Uint8Array> {
    this.compat ??= new Http2ServerRequest(this.stream, this.headers, {}, this.rawHeaders);
    return this.compat.iterator(options);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.iterator({ destroyOnReturn: false });
  }
}

/**
 * The response to a request over HTTP/2: the parts of Node's own response object that the gateway uses,
 * without additional listeners on the stream.
 */
export class Http2Response {
  readonly stream: ServerHttp2Stream;
  statusCode: number = constants.HTTP_STATUS_OK;
  private headers: Record<string, string | string[]> = {};
  private trailers: Fields = {};

  constructor(stream: ServerHttp2Stream) {
    this.stream = stream;
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  /** @param name the name in lower case; `connection`, which HTTP/2 does not have, is ignored */
  setHeader(name: string, value: string | string[]): void {
    if (name !== "connection") this.headers[name] = value;
  }

  getHeaders(): OutgoingHttpHeaders {
    return { ...this.headers };
  }

  /** Must be called before the end. Names are in lower case. */
  addTrailers(trailers: Fields): void {
    this.trailers = { ...this.trailers, ...trailers };
  }

  writeHead(status: number): this {
    this.statusCode = status;
    this.begin(false);
    return this;
  }

  write(chunk: string | Uint8Array): boolean {
    if (!this.headersSent) this.begin(false);
    return this.stream.write(chunk);
  }

  /**
   * Ends the response. Without a body it is a single HEADERS frame with END_STREAM, unless the head is
   * already sent.
   */
  end(chunk?: string | Uint8Array): void {
    const { stream } = this;
    if (!this.headersSent) this.begin(chunk === undefined || chunk.length === 0);
    if (chunk === undefined || chunk.length === 0) {
      stream.end();
    } else {
      stream.end(chunk);
    }
  }

  /** Sends the whole response in one call, with only these headers. */
  send(status: number, headers: OutgoingHttpHeaders, body: Uint8Array, trailers: Fields | undefined): void {
    const { stream } = this;
    this.statusCode = status;
    if (body.length === 0 && trailers === undefined) {
      stream.respond(headers, { endStream: true });
      return;
    }
    if (trailers !== undefined) this.trailers = trailers;
    stream.on(WANT_TRAILERS, this.onTrailers);
    // set even if there are no trailers: a stream that ends with its last bytes may close before it reports
    // that they were written
    stream.respond(headers, { waitForTrailers: true });
    stream.end(body);
  }

  writeContinue(): void {
    this.stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE });
  }

  destroy(): void {
    this.stream.destroy();
  }

  private begin(endStream: boolean): void {
    const { stream } = this;
    if (stream.destroyed || stream.closed) return;
    stream.on(WANT_TRAILERS, this.onTrailers);
    stream.respond({ ...this.headers, ":status": this.statusCode }, { endStream, waitForTrailers: true });
  }

  private readonly onTrailers = (): void => {
    try {
      this.stream.sendTrailers(this.trailers);
    } catch {
      // invalid trailers were removed earlier, so sending fails only if the stream has closed
      this.stream.destroy();
    }
  };
}
