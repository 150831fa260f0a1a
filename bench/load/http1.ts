import { type Connection, connect, SocketConnection, type Target } from "./connection.ts";

const EMPTY = Buffer.alloc(0);

/**
 * Opens an HTTP/1.1 connection with minimal client work, so that the server's time dominates the figures. A
 * response with an unexpected status is an error.
 */
export async function connectHttp1(target: Target, expected = 200): Promise<Connection> {
  const request = printRequest(target);
  let received: Buffer = EMPTY;
  return new SocketConnection(
    await connect(target.port),
    () => request,
    (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const response = readResponse(received);
      if (response === undefined) return undefined;
      if (response.status !== expected) {
        throw new Error(`expected status ${expected}, got ${response.status}`);
      }
      received = EMPTY;
      return response.body;
    },
  );
}

function printRequest({ port, method, path, headers, body }: Target): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(method === "GET" ? [] : [`content-length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

/** A response as received. */
export interface Http1Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Reads a response with a Content-Length or in chunks (RFC 9112 section 6). Returns undefined while the
 * response is incomplete.
 */
export function readResponse(bytes: Buffer): Http1Answer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end + 2);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  const rest = bytes.subarray(end + 4);
  if (length !== undefined) {
    return rest.length < Number(length) ? undefined : { status, body: rest.subarray(0, Number(length)) };
  }
  const body = readChunks(rest);
  return body && { status, body };
}

function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (!(size >= 0)) {
      throw new Error(`expected the size of a chunk, got ${bytes.toString("latin1", at, end)}`);
    }
    at = end + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
  }
}
