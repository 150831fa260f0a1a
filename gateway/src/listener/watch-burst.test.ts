import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { startServer } from "../server.ts";
import { PER_TURN } from "./request-turns.ts";

const WATCHERS = 20 * PER_TURN;
const PER_CONNECTION = 80;

const routes = (router: ConnectRouter) =>
  router.service(EchoService, {
    async *repeat({ text }, { signal }) {
      yield { text };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new ConnectError("gone", Code.Canceled);
    },
  });

const MESSAGE = '{"text":"a"}';
const BODY = Buffer.concat([Buffer.from([0, 0, 0, 0, MESSAGE.length]), Buffer.from(MESSAGE)]);
const HEADERS = {
  ":method": "POST",
  ":path": "/echo.v1.EchoService/Repeat",
  "content-type": "application/connect+json",
};

/** Opens a watch, and returns the status and the first message of its stream. */
async function watch(session: http2.ClientHttp2Session): Promise<string> {
  const stream = session.request(HEADERS);
  stream.end(BODY);
  const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  const [first] = (await once(stream, "data")) as [Buffer];
  return `${headers[":status"]} ${first.subarray(5, 5 + MESSAGE.length)}`;
}

test.each([
  ["one address", ["127.0.0.1"]],
  ["four addresses", ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]],
])("the maximum number of watchers, opened in one burst from %s, is admitted", async (_who, addresses) => {
  const server = await startServer({
    routes,
    isWatch: ({ name }) => name === "Repeat",
    limits: {
      watchers: WATCHERS,
      requestsInFlight: 2 * PER_TURN,
      requestsPerClient: 8,
      eventLoopDelayMs: 60_000,
      drainNoticeMs: 1,
      drainStreamsMs: 1,
      drainGraceMs: 1,
    },
  });
  const connectFrom = (localAddress = "127.0.0.1") =>
    net.connect({ port: server.port, host: "127.0.0.1", localAddress });
  const sessions = Array.from({ length: WATCHERS / PER_CONNECTION }, (_, index) =>
    http2.connect(server.url, { createConnection: () => connectFrom(addresses[index % addresses.length]) }),
  );
  const opened = await Promise.all(
    sessions.flatMap((session) => Array.from({ length: PER_CONNECTION }, () => watch(session))),
  );
  expect(opened).toHaveLength(WATCHERS);
  expect(new Set(opened)).toEqual(new Set([`200 ${MESSAGE}`]));
  for (const session of sessions) session.destroy();
  await server.close();
});
