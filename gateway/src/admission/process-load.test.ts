import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";

// other tests mock this module with an idle process
vi.unmock("./process-load.ts");
const { processLoad } = await import("./process-load.ts");

/** Blocks the event loop. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test("each reading reports the delay of an event loop that was blocked since the previous reading", async () => {
  const read = processLoad();
  await delay(50);
  read();
  for (let turn = 0; turn < 3; turn++) {
    block(200);
    await delay(1);
    expect(read().eventLoopDelayMs).toBeGreaterThan(50);
    expect(read().eventLoopDelayMs).toBe(0);
  }
});

test("the heap usage is between 0 and 100 percent", () => {
  const { heapPercent } = processLoad()();
  expect(heapPercent).toBeGreaterThan(0);
  expect(heapPercent).toBeLessThan(100);
});

test("time during which the process is suspended does not count as event-loop delay", async () => {
  const read = processLoad();
  await delay(50);
  read();
  // sleeps without using the processor
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  await delay(1);
  expect(read().eventLoopDelayMs).toBe(0);
});
