import net from "node:net";
import { expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../testing/frames.ts";
import { createListener } from "./listener.ts";

const HEAD = block([
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/"],
  [":authority", "a"],
]);
const LARGEST_WINDOW = [0x7f, 0xff, 0xff, 0xff];
const SETTINGS = frame(type.settings, 0, 0, [0, 4, ...LARGEST_WINDOW]);
const WINDOW = frame(type.window, 0, 0, [0x7f, 0xff, 0, 0]);
const REQUESTS = Array.from({ length: 50 }, (_, i) =>
  frame(type.headers, END_HEADERS | END_STREAM, 2 * i + 1, HEAD),
);

test.each([
  ["HTTP/1.1", [Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n")], 1],
  ["HTTP/2", [preface, SETTINGS, WINDOW, ...REQUESTS], 50],
])("a %s peer that does not read its responses does not delay the drain", async (_, bytes, requests) => {
  let asked = 0;
  let allAsked: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    allAsked = resolve;
  });
  const listener = createListener({
    limits: withDefaultLimits({ drainGraceMs: 100 }),
    handler: (_request, response) => {
      // more than any socket buffer holds
      response.end(Buffer.alloc(8 * 1024 * 1024));
      asked += 1;
      if (asked === requests) allAsked();
    },
    reject: (_request, response) => void response.end(),
    onError: (error) => expect.unreachable(String(error)),
    onLimit: () => undefined,
  });
  const { port } = await listener.listen(0, "127.0.0.1");
  const peer = net.connect(port, "127.0.0.1").pause();
  peer.on("error", () => undefined);
  for (const part of bytes) peer.write(part);
  await all;
  await listener.drain(0);
  expect(await listener.connections()).toBe(0);
  peer.destroy();
});
