import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { LineQueue, type Sink } from "./line-queue.ts";

/** Returns a sink that holds each chunk until the test releases it. */
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

test("lines are written whole and in order, several at a time if the sink is slow", () => {
  const { sink, chunks, step } = heldSink();
  const queue = new LineQueue(sink);
  for (const line of ["a\n", "b\n", "c\n"]) queue.write(line);
  step();
  step();
  expect(chunks).toEqual(["a\n", "b\nc\n"]);
  expect(queue.queuedBytes).toBe(0);
});

test("lines over the byte limit are dropped whole and counted", () => {
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
      const queue = new LineQueue(sink, { maxBytes });
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

test("dropped lines are reported once, when half of the queue has been read", () => {
  const { sink, step } = heldSink();
  const queue = new LineQueue(sink, { maxBytes: 8 });
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

test("a report may write a line to the same queue", () => {
  const { sink, chunks, step, isBusy } = heldSink();
  const queue = new LineQueue(sink, { maxBytes: 8 });
  queue.onFlow((dropped) => queue.write(`lost ${dropped}\n`));
  for (const line of ["1234567\n", "a\n"]) queue.write(line);
  while (isBusy()) step();
  expect(chunks).toEqual(["1234567\n", "lost 1\n"]);
});

test("flush resolves only when all lines have been written", async () => {
  const { sink, step } = heldSink();
  const queue = new LineQueue(sink);
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

test("flush stops waiting for the reader after its timeout", async () => {
  const queue = new LineQueue(() => undefined);
  queue.write("a\n");
  await queue.flush(1);
  expect(queue.queuedBytes).toBe(2);
});

test("lines are collected for a pause after each write, unless they fill a write", () => {
  vi.useFakeTimers();
  try {
    const { sink, chunks, step, isBusy } = heldSink();
    const queue = new LineQueue(sink, { pauseMs: 10 });
    queue.write("a\n");
    step();
    queue.write("b\n");
    queue.write("c\n");
    vi.advanceTimersByTime(9);
    expect(isBusy()).toBe(false);
    vi.advanceTimersByTime(1);
    step();
    expect(chunks).toEqual(["a\n", "b\nc\n"]);
    const full = `${"d".repeat(64 * 1024)}\n`;
    queue.write(full);
    step();
    expect(chunks[2]).toBe(full);
    vi.advanceTimersByTime(10);
    queue.write("e\n");
    step();
    expect(chunks[3]).toBe("e\n");
  } finally {
    vi.useRealTimers();
  }
});

test("flush does not wait for the pause", async () => {
  const chunks: string[] = [];
  const sink: Sink = (chunk, done) => {
    chunks.push(chunk);
    setImmediate(done);
  };
  const queue = new LineQueue(sink, { pauseMs: 1e9 });
  queue.write("a\n");
  await new Promise((resolve) => setImmediate(resolve));
  queue.write("b\n");
  await queue.flush(Number.POSITIVE_INFINITY);
  expect(chunks).toEqual(["a\n", "b\n"]);
});
