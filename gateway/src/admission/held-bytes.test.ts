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

test("property: never more is held than may be, nor more than half by one client, and all of it is given back", () => {
  const step = fc.record({ client: fc.nat(3), bytes: fc.nat(60), ends: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const held = new HeldBytes({ heldRequestBytes: 100 });
      const calls: { readonly client: number; bytes: number; readonly release: () => void }[] = [];
      const heldBy = (client?: number) =>
        calls.reduce(
          (sum, call) => sum + (client === undefined || call.client === client ? call.bytes : 0),
          0,
        );
      for (const { client, bytes, ends } of steps) {
        const hold = held.begin(String(client));
        const code = codeOf(() => hold.add(bytes));
        const isFull = heldBy() + bytes > 100;
        expect(code).toBe(
          heldBy(client) + bytes > 50 ? Code.ResourceExhausted : isFull ? Code.Unavailable : undefined,
        );
        calls.push({ client, bytes: code === undefined ? bytes : 0, release: hold.release });
        if (ends) calls.shift()?.release();
        expect(held.held).toBe(heldBy());
      }
      for (const { release } of calls) release();
      expect(held.held).toBe(0);
    }),
  );
});

test.each([
  ["fast", echoService],
  ["connect's", { routes: echoRoutes }],
] as const)(
  "on the %s path, unfinished requests of one client take half of the memory that requests may take",
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
    const refused = await Promise.race(calls.map(async ({ status }) => status));
    expect(refused).toBe(429);
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
