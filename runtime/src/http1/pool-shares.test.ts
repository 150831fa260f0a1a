import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { buildConnector, Pool } from "undici";
import { expect, test } from "vitest";
import { CALLER, type DispatchOptions } from "../http/requester.ts";
import { ON_READ } from "./connection.ts";
import { Http1Pool } from "./pool.ts";

/** Starts a pool and a server that responds when the test says so. Requests name their caller. */
async function world(connections: number) {
  const open: Array<{ readonly caller: string; readonly response: ServerResponse }> = [];
  const server = createServer((request, response) => {
    open.push({ caller: String(request.headers["x-caller"]), response });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { connections, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxHeaderBytes: 16_384 };
  const pool = new Http1Pool(origin, {
    ...limits,
    connect: buildConnector({ onread: ON_READ, allowH2: false } as object),
    others: (counted) =>
      new Pool(origin, { connections, connect: counted(buildConnector({ allowH2: false })) }),
  });
  let ended = 0;
  const send = (caller: string, method: "GET" | "HEAD") => {
    const over = () => void ended++;
    const headers = ["x-caller", caller];
    const options: DispatchOptions = { origin, method, path: "/", headers, body: null, [CALLER]: caller };
    pool.dispatch(options, { onResponseEnd: over, onResponseError: over });
  };
  const at = (caller: string) => open.filter((each) => each.caller === caller).length;
  const close = async (count: number) => {
    while (ended < count) {
      for (const { response } of open.splice(0)) response.end();
      await new Promise(setImmediate);
    }
    await pool.close();
    server.close();
  };
  return { send, at, close };
}

test("property: a caller with many requests leaves connections to other callers, and all requests end", async () => {
  const counts = fc.record({
    connections: fc.integer({ min: 4, max: 12 }),
    greedy: fc.integer({ min: 12, max: 60 }),
    method: fc.constantFrom("GET" as const, "HEAD" as const),
  });
  await fc.assert(
    fc.asyncProperty(counts, async ({ connections, greedy, method }) => {
      const { send, at, close } = await world(connections);
      for (let count = 0; count < greedy; count++) send("greedy", method);
      send("other", "GET");
      while (at("other") === 0) await new Promise(setImmediate);
      const left = connections - at("greedy");
      expect(left).toBeGreaterThanOrEqual(Math.floor(at("greedy") / 3));
      await close(greedy + 1);
    }),
    { numRuns: 10 },
  );
});
