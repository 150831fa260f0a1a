import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request that has been read and checked as a whole. */
export interface WholeRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response that is yet to be sent. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** A request and a response of Node that belong to no connection. */
export interface MemoryExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Resolves when the response is ended. */
  readonly ended: Promise<WholeResponse>;
}

/**
 * Gives a handler for Node's requests one that is whole, and takes its response as a whole. So the engine
 * sees neither a client that stalls, nor a body without end, nor the peer's Host,
 * and is the same for both HTTP versions.
 *
 * @param origin where the handler believes to be, e.g. `https://gateway.example.com`
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
    // all of it is there
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
