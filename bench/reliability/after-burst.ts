import { brotliCompressSync } from "node:zlib";
import { call, calls, PAGE } from "./call.ts";
import { residentOf, settledAt, startCommand } from "./command.ts";
import type { Figure } from "./figure.ts";
import { HEAPS, sendJson, startUpstream, withHeap } from "./world.ts";

/** The time in which a process must release memory, in milliseconds. */
const MINUTE_MS = 60_000;
const GROWN_BY_MOST = 20;

/** Measures the memory growth of a process up to a minute after an upstream has sent compression bombs. */
export async function measureAfterBurst(): Promise<Figure[]> {
  return await Promise.all(HEAPS.map(growth));
}

async function growth(heapMb: number | undefined): Promise<Figure> {
  // A bomb within the limits, so that the gateway decompresses, decodes and sends all of it.
  const bomb = brotliCompressSync(PAGE.replace("<p>", `<p>${"x".repeat(15 << 20)}`));
  let isArmed = false;
  await using upstream = await startUpstream((_, response) => {
    if (!isArmed) {
      sendJson(response, 200, PAGE);
      return;
    }
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "br" }).end(bomb);
  });
  await using gateway = await startCommand(upstream.url, { heapMb });
  await calls(2_000, 20, () => call(gateway.port));
  const before = residentOf(gateway);
  isArmed = true;
  await calls(100, 20, () => call(gateway.port));
  const atMost = residentOf(gateway);
  const grown = () => (residentOf(gateway) / before - 1) * 100;
  return {
    name: withHeap("growth a minute after 100 bombs of an upstream", heapMb),
    unit: "%",
    value: await settledAt(grown, GROWN_BY_MOST, MINUTE_MS),
    bound: { atMost: GROWN_BY_MOST },
    beside: { immediately: (atMost / before - 1) * 100 },
  };
}
