import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService });
});
afterAll(() => server.close());

/** Sends bytes, ends the connection, and waits until the server has closed it. */
function send(...parts: readonly Uint8Array[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(server.port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part);
      socket.end();
    });
    // The server may keep the connection open after malformed input, so the client closes the connection.
    socket
      .on("data", () => socket.destroySoon())
      .on("error", () => undefined)
      .on("end", () => socket.destroy());
    socket.on("close", () => resolve());
    socket.setTimeout(50, () => socket.destroy());
  });
}

const header = fc.tuple(
  fc.constantFrom("Host", "Content-Type", "Connect-Timeout-Ms", "Grpc-Timeout", "X-A"),
  fc.string(),
);
const http1 = fc
  .tuple(
    fc.constantFrom("GET", "POST", "OPTIONS", "CONNECT", "PRI"),
    fc.oneof(fc.constantFrom("/echo.v1.EchoService/Echo", "/", "*"), fc.webUrl(), fc.string()),
    fc.array(header, { maxLength: 4 }),
    fc.string(),
  )
  .map(([verb, target, headers, body]) => {
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return Buffer.from(`${verb} ${target} HTTP/1.1\r\n${lines}\r\n${body}`, "latin1");
  });

const frame = fc
  .tuple(fc.nat(12), fc.nat(255), fc.nat(8), fc.uint8Array({ maxLength: 64 }))
  .map(([type, flags, stream, payload]) => {
    const head = Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream]);
    return Buffer.concat([head, payload]);
  });
const http2 = fc.array(frame, { maxLength: 8 }).map((frames) => {
  const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  return Buffer.concat([preface, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), ...frames]);
});

test("arbitrary bytes from a client do not end the process", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(http1, http2, fc.uint8Array()), fc.nat(40), async (bytes, cut) => {
      await send(bytes.subarray(0, cut), bytes.subarray(cut));
    }),
    { interruptAfterTimeLimit: 4000, numRuns: 300 },
  );
  const health = await fetch(`${server.url}/healthz`);
  expect(await health.text()).toBe("alive\n");
});
