import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../gateway.ts";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { leanCases } from "../testing/lean-cases.ts";
import { type RawAnswer, type RawClient, rawClient } from "../testing/raw-call.ts";
import { startTalkativeUpstream, type TalkativeUpstream } from "../testing/talkative-upstream.ts";

let upstream: TalkativeUpstream;
let gateways: readonly Gateway[];
let lean: RawClient;
let connect: RawClient;

beforeAll(async () => {
  upstream = await startTalkativeUpstream();
  const start = (leanPath: boolean) =>
    startGateway({
      adapters: [EchoServiceRest],
      upstreams: { echo: { baseUrl: upstream.url, retry: false, breaker: false } },
      limits: { readMaxBytes: 64 * 1024, writeMaxBytes: 256 * 1024, messageDepth: 20, drainNoticeMs: 1 },
      origins: ["https://page.example"],
      leanPath,
    });
  gateways = await Promise.all([start(true), start(false)]);
  await Promise.all(gateways.map((gateway) => gateway.warm));
  const [first, second] = gateways;
  lean = rawClient(first?.port ?? 0);
  connect = rawClient(second?.port ?? 0);
});
afterAll(async () => {
  lean.close();
  connect.close();
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await upstream.close();
});

/** What must be the same: all but the time, the connection, and how the end of the body is told over HTTP/1.1. */
function comparable({ status, headers, body, trailers }: RawAnswer) {
  const own = ["date", "connection", "keep-alive", "content-length", "transfer-encoding"];
  const kept = Object.entries(headers).filter(([name]) => !own.includes(name));
  const length = Number(headers["content-length"] ?? body.length);
  return { status, headers: Object.fromEntries(kept), body: body.toString("latin1"), length, trailers };
}

test.each(leanCases)("both paths answer alike: $name", async ({ call }) => {
  const [ours, theirs] = await Promise.all([lean.send(call), connect.send(call)]);
  expect(comparable(ours)).toEqual(comparable(theirs));
});
