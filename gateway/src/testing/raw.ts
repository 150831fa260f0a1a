import http2 from "node:http2";
import net from "node:net";

/** Sends bytes on a new connection, and returns the bytes received until the server closes it. */
export function exchange(port: number, ...parts: ReadonlyArray<string | Uint8Array>): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = net.connect({ port, host: "127.0.0.1" }, () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      received += text;
    });
    // A server that disconnects a client may reset the connection after it has responded.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
    socket.on("close", () => resolve(received));
  });
}

/** Parses an HTTP/1.1 response into its status, head and body; a JSON body is parsed. */
export function parseAnswer(raw: string): {
  readonly status: number;
  readonly head: string;
  readonly body: unknown;
} {
  const [head = "", body = ""] = raw.split("\r\n\r\n", 2);
  const status = Number(head.split(" ")[1]);
  return { status, head, body: body.startsWith("{") ? JSON.parse(body) : body };
}

/** The response to an HTTP/2 request. */
export interface Http2Answer {
  readonly status: number | undefined;
  readonly headers: http2.IncomingHttpHeaders;
  readonly body: unknown;
  readonly trailers: http2.IncomingHttpHeaders | undefined;
}

/** Opens a new HTTP/2 session, sends one request, and closes the session. */
export function http2Request(
  port: number,
  sent: http2.OutgoingHttpHeaders,
  body?: Uint8Array,
): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    session.on("error", reject);
    const stream = session.request(sent, { endStream: body === undefined });
    let text = "";
    let headers: http2.IncomingHttpHeaders = {};
    let trailers: http2.IncomingHttpHeaders | undefined;
    stream.on("trailers", (got) => {
      trailers = got;
    });
    stream.setEncoding("utf8");
    stream.on("response", (got) => {
      headers = got;
    });
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("error", (error) => {
      session.destroy();
      reject(error);
    });
    stream.on("close", () => {
      session.close();
      resolve({
        status: Number(headers[":status"]),
        headers,
        body: text.startsWith("{") ? JSON.parse(text) : text,
        trailers,
      });
    });
    if (body !== undefined) stream.end(body);
  });
}
