import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { LineQueue, type Sink } from "./line-queue.ts";

/** A sink that holds every chunk until the test lets it go. */
function heldSink() {
  const chunks: string[] = [];
  let release: ((error?: Error) => void) | undefined;
  const sink: Sink = (chunk, done) => {
    release = (error) => {
      release = undefined;
      if (error === undefined) chunks.push(chunk);
      done(error);
    };
  };
  return { sink, chunks, step: (error?: Error) => release?.(error), isBusy: () => release !== undefined };
}

test("lines go out whole and in order, many at a time once the sink is slow", () => {
  const { sink, chunks, step } = heldSink();
  const queue = new LineQueue(sink, undefined, 0);
  for (const line of ["a\n", "b\n", "c\n"]) queue.write(line);
  step();
  step();
  expect(chunks).toEqual(["a\n", "b\nc\n"]);
  expect(queue.queuedBytes).toBe(0);
});

test("beyond the bytes that may wait, whole lines are dropped and counted, whatever is written", () => {
  const actions = fc.array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => ({ write: text.replaceAll("\n", "") })),
      fc.constant({ step: undefined }),
      fc.constant({ step: new Error("EPIPE") }),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(actions, fc.integer({ min: 1, max: 100 }), (list, maxBytes) => {
      const { sink, chunks, step, isBusy } = heldSink();
      const queue = new LineQueue(sink, maxBytes, 0);
      let written = 0;
      let reported = 0;
      queue.onFlow((dropped) => {
        reported += dropped;
      });
      for (const action of list) {
        if ("write" in action) {
          written += 1;
          queue.write(`${action.write}\n`);
        } else {
          step(action.step);
        }
        expect(queue.queuedBytes).toBeLessThanOrEqual(maxBytes);
      }
      while (isBusy()) step();
      const out = chunks.join("").split("\n").length - 1;
      expect(out + queue.droppedLines).toBe(written);
      expect(queue.queuedBytes).toBe(0);
      expect(reported).toBeLessThanOrEqual(queue.droppedLines);
    }),
    { numRuns: 200 },
  );
});

test("what was dropped is said once, when the reader has taken half of what waited", () => {
  const { sink, step } = heldSink();
  const queue = new LineQueue(sink, 8, 0);
  const reports: number[] = [];
  queue.onFlow((dropped) => reports.push(dropped));
  for (const line of ["1234567\n", "a\n", "b\n"]) queue.write(line);
  expect(reports).toEqual([]);
  step();
  expect(reports).toEqual([2]);
  queue.write("c\n");
  step();
  expect(reports).toEqual([2]);
  expect(queue.droppedLines).toBe(2);
});

test("a report may itself be a line", () => {
  const { sink, chunks, step, isBusy } = heldSink();
  const queue = new LineQueue(sink, 8, 0);
  queue.onFlow((dropped) => queue.write(`lost ${dropped}\n`));
  for (const line of ["1234567\n", "a\n"]) queue.write(line);
  while (isBusy()) step();
  expect(chunks).toEqual(["1234567\n", "lost 1\n"]);
});

test("flush resolves when all is out, and not before", async () => {
  const { sink, step } = heldSink();
  const queue = new LineQueue(sink, undefined, 0);
  queue.write("a\n");
  let isFlushed = false;
  const flushed = queue.flush(Number.POSITIVE_INFINITY).then(() => {
    isFlushed = true;
  });
  await Promise.resolve();
  expect(isFlushed).toBe(false);
  step();
  await flushed;
  await queue.flush(Number.POSITIVE_INFINITY);
});

test("flush waits for no reader beyond its time", async () => {
  const queue = new LineQueue(() => undefined);
  queue.write("a\n");
  await queue.flush(1);
  expect(queue.queuedBytes).toBe(2);
});

/** Lines, some of them soon after others, and what the sink got, with its time. */
function gathered(write: (queue: LineQueue, wait: (ms: number) => void) => void): [number, string][] {
  vi.useFakeTimers({ now: 0 });
  try {
    const chunks: [number, string][] = [];
    const queue = new LineQueue((chunk, done) => {
      chunks.push([Math.round(performance.now() - start), chunk]);
      setTimeout(done, 1);
    });
    const start = performance.now();
    write(queue, (ms) => vi.advanceTimersByTime(ms));
    vi.runAllTimers();
    expect(queue.queuedBytes).toBe(0);
    return chunks;
  } finally {
    vi.useRealTimers();
  }
}

/** Writes as often as goes at once, and waits until that is out. */
function writeAtOnce(queue: LineQueue, wait: (ms: number) => void): void {
  for (let i = 0; i < 4; i++) {
    queue.write(`${i}\n`);
    wait(1);
  }
}

const AT_ONCE: readonly [number, string][] = [
  [0, "0\n"],
  [1, "1\n"],
  [2, "2\n"],
  [3, "3\n"],
];

test("lines go out at once while there are few, and together when there are many, no later than they would be missed", () => {
  const chunks = gathered((queue, wait) => {
    writeAtOnce(queue, wait);
    queue.write("b\n");
    wait(3);
    queue.write("c\n");
    wait(20);
    queue.write("d\n");
  });
  expect(chunks).toEqual([...AT_ONCE, [10, "b\nc\n"], [27, "d\n"]]);
});

test("as many lines as are written at a time wait for no more", () => {
  const long = `${"x".repeat(30_000)}\n`;
  const chunks = gathered((queue, wait) => {
    writeAtOnce(queue, wait);
    for (let i = 0; i < 3; i++) queue.write(long);
  });
  expect(chunks).toEqual([...AT_ONCE, [4, long + long], [10, long]]);
});

test("flush does not wait for more lines", () => {
  const chunks = gathered((queue, wait) => {
    writeAtOnce(queue, wait);
    queue.write("b\n");
    void queue.flush(Number.POSITIVE_INFINITY);
    queue.write("c\n");
  });
  expect(chunks).toEqual([...AT_ONCE, [4, "b\n"], [5, "c\n"]]);
});
