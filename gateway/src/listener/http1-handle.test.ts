import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Callbacks } from "./callbacks.ts";
import { Http1Handle } from "./http1-handle.ts";
import { ReadTurns } from "./read-turns.ts";

const CHUNK = "5\r\nabcde\r\n";
const callbacks = new Callbacks((error) => {
  throw error;
});

const server = http.createServer();
let port: number;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as net.AddressInfo).port;
});
afterAll(() => server.close());

/** Begins a request whose body is sent in chunks; the server has its head. */
async function begin() {
  const client = net.connect(port, "127.0.0.1");
  const requested = once(server, "request");
  client.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n");
  const [request, response] = (await requested) as [http.IncomingMessage, http.ServerResponse];
  return { client, request, response, handle: new Http1Handle(request.socket, callbacks) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("property: a connection is not read while it is stopped, and its whole body arrives once it is resumed", async () => {
  const act = fc.constantFrom("stop", "start", "pause", "resume", "send", "turn");
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      const { client, request, response, handle } = await begin();
      let received = "";
      let sent = "";
      let isStopped = false;
      request.setEncoding("utf8").on("data", (text: string) => {
        received += text;
      });
      for (const each of acts) {
        const before = request.socket.bytesRead;
        if (each === "stop") handle.readStop();
        if (each === "start") handle.readStart();
        if (each === "stop" || each === "start") isStopped = each === "stop";
        if (each === "pause") request.pause();
        if (each === "resume") request.resume();
        if (each === "send") {
          client.write(CHUNK);
          sent += "abcde";
        }
        for (let count = 0; count < 3; count++) await turn();
        if (isStopped && each !== "stop") expect(request.socket.bytesRead).toBe(before);
      }
      handle.readStart();
      request.resume();
      const ended = once(request, "end");
      client.end("0\r\n\r\n");
      await ended;
      expect(received).toBe(sent);
      response.end();
      client.resume();
      await once(client, "close");
    }),
    { numRuns: 50 },
  );
});

test("a connection is not read while one of its requests waits", async () => {
  const { client, request, response } = await begin();
  const turns = new ReadTurns(callbacks, () => false);
  turns.addHttp1(request.socket, callbacks);
  const releases = [turns.hold(request.socket), turns.hold(request.socket)];
  const before = request.socket.bytesRead;
  client.write(CHUNK);
  for (let count = 0; count < 5; count++) await turn();
  releases[0]?.();
  for (let count = 0; count < 5; count++) await turn();
  expect(request.socket.bytesRead).toBe(before);
  releases[1]?.();
  const [received] = await once(request.setEncoding("utf8"), "data");
  expect(received).toBe("abcde");
  turns.close();
  response.end();
  client.destroy();
});
