import net from "node:net";
import { afterEach, expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { sendResponse } from "./http.ts";
import { createListener, type Listener } from "./listener.ts";
import { maxConnections, maxOpenFiles } from "./open-files.ts";

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.drain(0);
  listener = undefined;
});

/** Starts a listener with a given limit of open files, and records the exceeded limits. */
async function start(openFiles: number, exceeded: string[]): Promise<number> {
  listener = createListener({
    limits: withDefaultLimits({ drainGraceMs: 100 }),
    handler: (_request, response) => sendResponse(response, 200, {}, "served"),
    reject: (_request, response) => sendResponse(response, 503, {}, "rejected"),
    onError: (error) => expect.unreachable(String(error)),
    onLimit: (limit) => void exceeded.push(limit),
    openFiles,
  });
  return (await listener.listen(0, "127.0.0.1")).port;
}

function get(port: number, localAddress = "127.0.0.1"): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: "127.0.0.1", localAddress });
    let received = "";
    socket.on("error", () => undefined).on("close", () => resolve(received));
    socket.on("data", (text: Buffer) => {
      received += text;
    });
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  });
}

test("connections that leave too few files for other uses are closed and counted", async () => {
  const exceeded: string[] = [];
  const port = await start(4, exceeded);
  expect(await get(port)).toBe("");
  expect(exceeded).toEqual(["connections"]);
});

test("connections are served while enough files are available", async () => {
  const exceeded: string[] = [];
  const port = await start(1_000_000, exceeded);
  expect(await get(port)).toContain("served");
  expect(exceeded).toEqual([]);
});

test.each([
  ["the configured one if enough files are available", 1_000_000, { all: 10_000, perClient: 1000 }],
  ["the configured one if the number of files is unknown", undefined, { all: 10_000, perClient: 1000 }],
  ["limited by the number of files", 1024, { all: 640, perClient: 320 }],
  ["limited by connectionsPerClient if that is lower", 8192, { all: 5120, perClient: 1000 }],
  ["at least one", 1, { all: 1, perClient: 1 }],
])("the maximum number of connections is %s", (_what, openFiles, expected) => {
  expect(maxConnections(withDefaultLimits(), openFiles)).toEqual(expected);
});

test("a client that opens its maximum number of connections leaves files for other clients", async () => {
  const exceeded: string[] = [];
  const port = await start(1024, exceeded);
  const { perClient } = maxConnections(withDefaultLimits(), 1024);
  const held: net.Socket[] = [];
  const closed = Promise.withResolvers<void>();
  // opens only as many connections as needed: both ends of each connection are open files of this process
  for (let count = 0; count < perClient + 1; count++) {
    const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
    held.push(socket.once("close", () => closed.resolve()));
  }
  await closed.promise;
  expect(exceeded[0]).toBe("connectionsPerClient");
  expect(await get(port, "127.0.0.2")).toContain("served");
  for (const socket of held) socket.destroy();
});

test.runIf(process.platform === "linux")("on Linux, the maximum number of open files is known", () => {
  expect(maxOpenFiles()).toBeGreaterThan(10);
});
