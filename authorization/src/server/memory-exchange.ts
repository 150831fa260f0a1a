import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request that has been read completely and checked. */
export interface WholeRequest {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response that has not been sent yet. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** A Node request and response without a connection. */
export interface MemoryExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Resolves when the response has ended. */
  readonly ended: Promise<WholeResponse>;
}

/**
 * Passes a complete request to a Node request handler, and receives its complete response. Slow clients,
 * endless bodies and the peer's Host header thus never reach the engine, and it behaves the same for both
 * HTTP versions.
 *
 * @param origin the origin that the handler sees, for example `https://gateway.example.com`
 */
export function createMemoryExchange(
  { method, url, headers, body }: WholeRequest,
  origin: URL,
): MemoryExchange {
  const socket = new Socket();
  Object.defineProperty(socket, "encrypted", { value: origin.protocol === "https:" });
  const request = new MemoryRequest(socket);
  request.method = method;
  request.url = url;
  request.httpVersion = "1.1";
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  const length = method === "POST" ? { "content-length": String(Buffer.byteLength(body)) } : {};
  request.headers = { ...headers, host: origin.host, ...length };
  request.push(body === "" ? null : Buffer.from(body));
  if (body !== "") request.push(null);
  const response = new MemoryResponse(request);
  return { request, response, ended: response.ended };
}

class MemoryRequest extends IncomingMessage {
  override _read(): void {
    // the whole body has already arrived
  }
}

class MemoryResponse extends ServerResponse {
  readonly ended: Promise<WholeResponse>;
  private readonly chunks: Buffer[] = [];
  private settle: (() => void) | undefined;

  constructor(request: IncomingMessage) {
    super(request);
    this.ended = new Promise((resolve) => {
      this.settle = () => {
        resolve({ status: this.statusCode, headers: this.getHeaders(), body: Buffer.concat(this.chunks) });
      };
    });
  }

  override write(chunk: unknown): boolean {
    this.chunks.push(bufferOf(chunk));
    return true;
  }

  override end(chunk?: unknown): this {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) this.chunks.push(bufferOf(chunk));
    this.finished = true;
    this.settle?.();
    this.emit("finish");
    return this;
  }
}

function bufferOf(chunk: unknown): Buffer {
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk));
}
