import http from "node:http";
import http2 from "node:http2";

/** A request as it is sent over the wire. */
export interface RawCall {
  readonly version: "1.1" | "2";
  readonly method: string;
  readonly path: string;
  /** Headers with names in lower case. Several values of a name are sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
}

/** A response as it is received over the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, unknown>>;
}

/** Connections to one server. */
export interface RawClient {
  send(call: RawCall): Promise<RawResponse>;
  close(): void;
}

/** Returns a client for a server on this machine, over HTTP/1.1 and HTTP/2. */
export function rawClient(port: number): RawClient {
  const agent = new http.Agent({ keepAlive: true });
  let session: http2.ClientHttp2Session | undefined;
  // opened on demand: on a slow machine, the server would close an idle session before its first request
  const opened = () => {
    if (session === undefined || session.closed) session = http2.connect(`http://127.0.0.1:${port}`);
    return session;
  };
  return {
    send: (call) => (call.version === "2" ? sendHttp2(opened(), call) : sendHttp1(agent, port, call)),
    close: () => {
      agent.destroy();
      session?.destroy();
    },
  };
}

function sendHttp1(agent: http.Agent, port: number, call: RawCall): Promise<RawResponse> {
  const { method, path, headers, body } = call;
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: headers as http.OutgoingHttpHeaders,
    };
    const request = http.request(options, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
          trailers: response.trailers,
        }),
      );
    });
    // the response may arrive before the whole request has been sent
    request.on("error", reject);
    request.end(body);
  });
}

function sendHttp2(session: http2.ClientHttp2Session, call: RawCall): Promise<RawResponse> {
  const { method, path, headers, body } = call;
  return new Promise((resolve, reject) => {
    const options = { endStream: body === undefined };
    const stream = session.request({ ":method": method, ":path": path, ...headers }, options);
    const chunks: Uint8Array[] = [];
    let head: http2.IncomingHttpHeaders = {};
    let trailers: http2.IncomingHttpHeaders = {};
    stream.on("response", (got) => {
      head = got;
    });
    stream.on("trailers", (got) => {
      trailers = got;
    });
    stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("close", () => {
      const { ":status": status, ...rest } = head;
      resolve({ status: Number(status ?? 0), headers: rest, body: Buffer.concat(chunks), trailers });
    });
    if (body !== undefined) stream.end(body);
  });
}
