import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Callbacks } from "../listener/callbacks.ts";
import {
  cut,
  type HttpRequest,
  type HttpResponse,
  isGone,
  outgoing,
  sendResponse,
} from "../listener/http.ts";
import { UNCACHED } from "../listener/rejection.ts";

const compress = promisify(gzip);

/** The size of one write, in bytes. */
const SLICE_BYTES = 16 * 1024;

/** The size below which a page is not compressed, in bytes. */
const SMALL_BYTES = 1024;

/** Header names in lower case, and their values. */
type Headers = Readonly<Record<string, string>>;

/**
 * A response to GET. All requests for a page share its bytes, so that unread responses need no additional
 * memory.
 */
export class Page {
  readonly status: number;
  readonly headers: Headers;
  private readonly body: Uint8Array;
  private compressed: Promise<Uint8Array> | undefined;

  /** @param headers Default: the page must not be cached. */
  constructor(status: number, contentType: string, body: string | Uint8Array, headers: Headers = {}) {
    this.status = status;
    this.headers = { "content-type": contentType, ...UNCACHED, ...headers };
    this.body = typeof body === "string" ? Buffer.from(body) : body;
  }

  /** Sends the page as fast as its client reads it, compressed if the client accepts that. */
  async send(request: HttpRequest, response: HttpResponse): Promise<void> {
    if (this.body.length < SMALL_BYTES) {
      this.sendBytes(request, response, this.body, {});
      return;
    }
    const vary = { vary: "accept-encoding" };
    if (!acceptsGzip(request)) {
      this.sendBytes(request, response, this.body, vary);
      return;
    }
    this.compressed ??= compress(this.body);
    this.sendBytes(request, response, await this.compressed, { ...vary, "content-encoding": "gzip" });
  }

  private sendBytes(request: HttpRequest, response: HttpResponse, bytes: Uint8Array, coding: Headers): void {
    const headers = { ...this.headers, ...coding, "content-length": String(bytes.length) };
    if (request.method === "HEAD") {
      sendResponse(response, this.status, headers);
      return;
    }
    if (isGone(response)) return;
    response.statusCode = this.status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    writeSlices(response, bytes);
  }
}

function writeSlices(response: HttpResponse, bytes: Uint8Array): void {
  let position = 0;
  const write = () => {
    while (!isGone(response)) {
      if (position >= bytes.length) {
        stop();
        response.end();
        return;
      }
      const slice = bytes.subarray(position, position + SLICE_BYTES);
      position += slice.length;
      if (!(response as NodeJS.WritableStream).write(slice)) return;
    }
  };
  const callbacks = new Callbacks(() => cut(response));
  const stop = callbacks.on(outgoing(response), "drain", write);
  write();
}

function acceptsGzip({ headers }: HttpRequest): boolean {
  return /(?:^|,)\s*gzip\s*(?:,|$)/.test(String(headers["accept-encoding"] ?? ""));
}
