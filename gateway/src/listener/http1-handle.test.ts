import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Callbacks } from "./callbacks.ts";
import { Http1Handle } from "./http1-handle.ts";
import { sniff } from "./preface.ts";
import { ReadTurns } from "./read-turns.ts";

const CHUNK = "5\r\nabcde\r\n";
const fail = (error: unknown) => {
  throw error;
};
const callbacks = new Callbacks(fail);

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

/** The moments at which the reading of a new connection stops. */
const MOMENTS = ["taken", "request", "chunk"] as const;

test.each(MOMENTS)(
  "a connection that waited with unread bytes is not read after reading has stopped: %s",
  async (moment) => {
    const stopped = Promise.withResolvers<readonly [net.Socket, Http1Handle]>();
    const take = async (socket: net.Socket) => {
      for (let count = 0; count < 5; count++) await turn();
      const stop = () => {
        const handle = new Http1Handle(socket, callbacks);
        handle.readStop();
        stopped.resolve([socket, handle]);
      };
      server.once("request", (request: http.IncomingMessage) => {
        if (moment === "request") stop();
        request.once("data", () => {
          if (moment === "chunk") stop();
        });
      });
      server.emit("connection", socket);
      if (moment === "taken") stop();
    };
    const listener = net.createServer((socket) => sniff(socket, 1000, (_, taken) => void take(taken), fail));
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const client = net.connect((listener.address() as net.AddressInfo).port, "127.0.0.1");
    client.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    client.write(CHUNK.repeat(100_000));
    const [socket, handle] = await stopped.promise;
    const before = socket.bytesRead;
    for (let count = 0; count < 20; count++) await turn();
    expect(socket.bytesRead).toBe(before);
    handle.readStart();
    while (socket.bytesRead === before) await turn();
    client.destroy();
    listener.close();
  },
);

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
