import http from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startServer } from "../server.ts";
import { echoRoutes, echoService } from "../testing/echo.ts";
import { HeldBytes } from "./held-bytes.ts";

function codeOf(act: () => void): Code | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return ConnectError.from(error).code;
  }
}

test("property: held bytes stay within the limit, one client holds at most half of the limit, part of the limit stays free, the client with the most bytes makes room first, and all bytes are released", () => {
  const step = fc.record({
    client: fc.nat(3),
    bytes: fc.nat(60),
    // the next event of an earlier call
    next: fc.constantFrom("nothing", "ends", "has arrived", "goes on"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const held = new HeldBytes({ heldRequestBytes: 100 });
      interface Known {
        readonly client: number;
        readonly hold: ReturnType<HeldBytes["begin"]>;
        bytes: number;
        arrived: () => void;
        isArriving: boolean;
      }
      const calls: Known[] = [];
      const heldBy = (client: number) =>
        calls.reduce((sum, call) => sum + (call.client === client ? call.bytes : 0), 0);
      const all = () => calls.reduce((sum, { bytes }) => sum + bytes, 0);
      const taken: Known[] = [];
      const add = (call: Known, bytes: number) => {
        const own = heldBy(call.client) + bytes;
        const before = new Map([0, 1, 2, 3].map((client) => [client, heldBy(client)]));
        const needed = Math.floor(own / 3) > 100 - all() - bytes;
        taken.length = 0;
        const code = codeOf(() => call.hold.add(bytes));
        for (const { client } of taken) expect(before.get(client)).toBeGreaterThan(own);
        if (own > 50) {
          expect(code).toBe(Code.ResourceExhausted);
        } else if (code === undefined) {
          call.bytes += bytes;
          expect(taken.length > 0).toBe(needed);
        } else {
          expect(code).toBe(Code.Unavailable);
          // clients with more bytes have only complete requests left
          const larger = calls.filter(({ client }) => heldBy(client) > own);
          expect(larger.some(({ isArriving, bytes: some }) => isArriving && some > 0)).toBe(false);
        }
      };
      for (const { client, bytes, next } of steps) {
        const call: Known = {
          client,
          hold: held.begin(String(client)),
          bytes: 0,
          arrived: () => undefined,
          isArriving: true,
        };
        call.arrived = () => call.hold.arrived();
        call.hold.arriving((error) => {
          expect(error.code).toBe(Code.Unavailable);
          expect(call.isArriving).toBe(true);
          taken.push(call);
          call.bytes = 0;
        });
        calls.push(call);
        add(call, bytes);
        const [earlier = call] = calls;
        if (next === "ends") {
          earlier.hold.release();
          calls.shift();
        } else if (next === "has arrived") {
          earlier.arrived();
          earlier.isArriving = false;
        } else if (next === "goes on") {
          add(earlier, 5);
        }
        expect(held.held).toBe(all());
        expect(all()).toBeLessThanOrEqual(100);
      }
      for (const { hold } of calls) hold.release();
      expect(held.held).toBe(0);
    }),
  );
});

test("the client with the most bytes loses the incomplete request whose latest bytes are the oldest", () => {
  const held = new HeldBytes({ heldRequestBytes: 106 });
  const failed: string[] = [];
  const begin = (name: string, client: string) => {
    const hold = held.begin(client);
    hold.arriving(() => failed.push(name));
    hold.add(20);
    return hold;
  };
  const first = begin("first", "a");
  begin("second", "a");
  begin("third", "b");
  begin("fourth", "b");
  first.add(9);
  begin("innocent", "c");
  expect(failed).toEqual(["second"]);
});

test.each([
  ["fast", echoService],
  ["connect's", { routes: echoRoutes }],
] as const)(
  "on the %s path, incomplete requests of one client take at most half of heldRequestBytes",
  async (_path, service) => {
    const server = await startServer({ ...service, limits: { heldRequestBytes: 1_000_000 } });
    const body = JSON.stringify({ text: "x".repeat(100_000) });
    const agent = new http.Agent({ maxSockets: 20 });
    const begin = () => {
      const headers = { "content-type": "application/json", "content-length": body.length + 1 };
      const request = http.request(`${server.url}/echo.v1.EchoService/Echo`, {
        method: "POST",
        headers,
        agent,
      });
      const status = new Promise<number | undefined>((resolve) => {
        request.once("response", (response) => resolve(response.resume().statusCode));
        request.once("error", () => resolve(undefined));
      });
      request.write(body);
      return { request, status };
    };
    const calls = Array.from({ length: 10 }, begin);
    const rejected = await Promise.race(calls.map(async ({ status }) => status));
    expect(rejected).toBe(429);
    for (const { request } of calls) request.end(" ");
    const statuses = await Promise.all(calls.map(({ status }) => status));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    const last = begin();
    last.request.end(" ");
    expect(await last.status).toBe(200);
    agent.destroy();
    await server.close();
  },
);

test.each([
  ["fast", echoService],
  ["connect's", { routes: echoRoutes }],
] as const)(
  "on the %s path, incomplete requests of several clients make room for a client with fewer bytes",
  async (_path, service) => {
    const limit = 1_000_000;
    const server = await startServer({ ...service, limits: { heldRequestBytes: limit } });
    const headers = { "content-type": "application/json" };
    const begin = (localAddress: string, text: string, left: number) => {
      const length = Buffer.byteLength(text) + left;
      const request = http.request(`${server.url}/echo.v1.EchoService/Echo`, {
        method: "POST",
        headers: { ...headers, "content-length": length },
        localAddress,
        agent: false,
      });
      const status = new Promise<number | undefined>((resolve) => {
        request.once("response", (response) => resolve(response.resume().statusCode));
        request.once("error", () => resolve(undefined));
      });
      request.write(text);
      return { request, status };
    };
    const open = JSON.stringify({ text: "x".repeat(90_000) });
    const attackers = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
    const attack = Array.from({ length: 15 }, (_, i) => begin(attackers[i % 3] ?? "", open, 1));
    // when the first request is rejected, all requests that fit have arrived
    expect(await Promise.race(attack.map(({ status }) => status))).toBe(503);
    for (const size of [10, 1000, 90_000]) {
      const innocent = begin("127.0.0.1", JSON.stringify({ text: "x".repeat(size) }), 1);
      innocent.request.end(" ");
      expect(await innocent.status).toBe(200);
    }
    for (const { request } of attack) request.destroy();
    await server.close();
  },
);
