import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Certificate } from "./certificates.ts";

/** A request to a test's proxy. */
export interface ProxyRequest {
  /** The request line without the version: `CONNECT host:port`, or `GET http://host/path`. */
  readonly line: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage["headers"];
}

/** A test's proxy. It resolves every name to 127.0.0.1, and maps ports by `ports`. */
export interface EgressProxyServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: ProxyRequest[];
}

interface Setup {
  /** The actual port for a requested port, such as 443. */
  readonly ports?: Readonly<Record<number, string>>;
  /** The status with which the proxy responds to every request in place of connecting. */
  readonly status?: number;
  /** The certificate for TLS to the proxy. */
  readonly tls?: Certificate;
  /** Never responds. */
  readonly silent?: boolean;
}

/** Starts a proxy on a free port. */
export async function egressProxy({
  ports = {},
  status,
  tls,
  silent = false,
}: Setup = {}): Promise<EgressProxyServer> {
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Socket>();
  const portOf = (port: string) => Number(new URL(ports[Number(port)] ?? `http://x:${port}`).port || 80);
  const record = ({ method, url, headers }: IncomingMessage) =>
    requests.push({ line: `${method} ${url}`, authorization: headers["proxy-authorization"], headers });
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    record(incoming);
    if (silent) return;
    if (status !== undefined) {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end(`rejected, with ${incoming.headers["proxy-authorization"]}`);
      return;
    }
    const { hostname: _name, port, pathname, search } = new URL(incoming.url ?? "");
    const { method, headers } = incoming;
    const path = pathname + search;
    const outgoing = request(
      { host: "127.0.0.1", port: portOf(port || "80"), method, path, headers },
      (got) => {
        response.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(response);
      },
    );
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server: Server = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  server.on("connect", (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    record(incoming);
    client.on("error", () => undefined);
    if (silent) return;
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(portOf(incoming.url?.split(":").at(-1) ?? ""), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    sockets.add(upstream);
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
