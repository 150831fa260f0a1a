import http2 from "node:http2";
import net from "node:net";
import { expect, test } from "vitest";
import { type Server, startServer } from "../server.ts";
import { echoRoutes, echoService } from "../testing/echo.ts";

const PATHS = [
  ["fast", echoService],
  ["connect's", { ...echoService, unaryOf: () => undefined, routes: echoRoutes }],
] as const;

const enveloped = (text: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 0, text.length]), Buffer.from(text)]);
const grpc = { "content-type": "application/grpc+json", te: "trailers" };

/** Requests with incomplete messages, as headers and the bytes sent so far. */
const HALVES = [
  ["Echo", { "content-type": "application/json" }, '{"text":"a'],
  ["Echo", { ...grpc }, enveloped('{"text":"a"}').subarray(0, 9)],
  ["Echo", { "content-type": "application/grpc-web+json" }, enveloped("{}").subarray(0, 3)],
  ["Repeat", { "content-type": "application/connect+json" }, enveloped('{"count":1}').subarray(0, 6)],
  ["Repeat", { ...grpc }, ""],
  ["Join", { ...grpc }, enveloped('{"text":"a"}').subarray(0, 9)],
  ["Talk", { ...grpc }, ""],
] as const;

const cases = PATHS.flatMap(([name, service]) =>
  HALVES.map(
    ([method, headers, sent]) => [method, headers["content-type"], name, service, headers, sent] as const,
  ),
);

test.each(cases)(
  "incomplete requests of %s (%s, %s path) do not count towards callsInFlight",
  async (method, _type, _path, service, headers, sent) => {
    const server = await startServer({ ...service, limits: { callsInFlight: 1, drainGraceMs: 10 } });
    const session = http2.connect(server.url).on("error", () => undefined);
    for (let count = 0; count < 20; count++) {
      const path = `/echo.v1.EchoService/${method}`;
      const stream = session.request({ ":method": "POST", ":path": path, ...headers });
      stream.on("error", () => undefined).write(sent);
    }
    await new Promise((resolve) => session.ping(resolve));
    expect(await echo(server, "a")).toBe(200);
    expect(server.calls()).toBe(0);
    session.destroy();
    await server.close({ skipNotice: true });
  },
);

async function echo({ url }: Server, text: string): Promise<number> {
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const response = await fetch(`${url}/echo.v1.EchoService/Echo`, {
    ...init,
    body: JSON.stringify({ text }),
  });
  await response.arrayBuffer();
  return response.status;
}

test.each(PATHS)(
  "on the %s path, unread responses do not count towards callsInFlight",
  async (_path, service) => {
    const server = await startServer({ ...service, limits: { callsInFlight: 1, drainGraceMs: 10 } });
    const body = JSON.stringify({ text: "x".repeat(3_000_000) });
    const head = `POST /echo.v1.EchoService/Echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
    const sockets = Array.from({ length: 5 }, () => {
      const socket = net.connect(server.port, "127.0.0.1").on("error", () => undefined);
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      return socket;
    });
    // the start of the response has arrived, and the rest is not read
    await Promise.all(
      sockets.map(
        (socket) => new Promise((resolve) => socket.once("readable", () => resolve(socket.read(1)))),
      ),
    );
    expect(await echo(server, "a")).toBe(200);
    for (const socket of sockets) socket.destroy();
    await server.close({ skipNotice: true });
  },
);
