import net from "node:net";
import { afterEach, expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { sendResponse } from "./http.ts";
import { createListener, type Listener } from "./listener.ts";
import { maxOpenFiles } from "./open-files.ts";

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.drain(0);
  listener = undefined;
});

/** Starts a listener in a process that may have so many files open; it says which limits were exceeded. */
async function start(openFiles: number, exceeded: string[]): Promise<number> {
  listener = createListener({
    limits: withDefaultLimits({ drainGraceMs: 100 }),
    handler: (_request, response) => sendResponse(response, 200, {}, "served"),
    refuse: (_request, response) => sendResponse(response, 503, {}, "refused"),
    onError: (error) => expect.unreachable(String(error)),
    onLimit: (limit) => void exceeded.push(limit),
    openFiles,
  });
  return (await listener.listen(0, "127.0.0.1")).port;
}

function get(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    let received = "";
    socket.on("error", () => undefined).on("close", () => resolve(received));
    socket.on("data", (text: Buffer) => {
      received += text;
    });
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  });
}

test("connections that leave too few files for all else are closed, and counted", async () => {
  const exceeded: string[] = [];
  const port = await start(4, exceeded);
  expect(await get(port)).toBe("");
  expect(exceeded).toEqual(["connections"]);
});

test("while there are files, connections are served", async () => {
  const exceeded: string[] = [];
  const port = await start(1_000_000, exceeded);
  expect(await get(port)).toContain("served");
  expect(exceeded).toEqual([]);
});

test.runIf(process.platform === "linux")("Linux says how many files a process may have open", () => {
  expect(maxOpenFiles()).toBeGreaterThan(10);
});
