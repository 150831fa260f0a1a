import { EventEmitter } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Callbacks } from "./callbacks.ts";

/**
 * Folders with code that serves requests. An exception in an unguarded callback there would end the process.
 */
const FOLDERS = ["listener", "rpc", "fast-path", "connect-path", "pages", "health"];

/** Matches unguarded callbacks: registered by the name of an event, with a timer, or on a signal. */
const BARE =
  /\.(?:on|once|addListener|prepend(?:Once)?Listener)\(\s*["'`]|\baddEventListener\(|\bset(?:Timeout|Interval|Immediate)\(|\bnextTick\(|\bqueueMicrotask\(/;

test.each(FOLDERS)("%s/ registers no unguarded callback", (folder) => {
  const root = path.resolve(import.meta.dirname, "..", folder);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "callbacks.ts",
  );
  expect(files.length).toBeGreaterThan(0);
  const bare = files.flatMap((file) =>
    readFileSync(path.join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (BARE.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(bare).toEqual([]);
});

test.each([
  'socket.on("data", read)',
  "stream.once('close', done)",
  "setTimeout(done, 1)",
  "signal.addEventListener(name, done)",
])("the pattern finds the unguarded callback %s", (line) => {
  expect(BARE.test(line)).toBe(true);
});

function fails(): never {
  throw new Error("oops");
}

test("an error thrown by a callback of an event, timer or signal is passed to the callback's owner", async () => {
  const emitter = new EventEmitter();
  const abort = new AbortController();
  const thrown: unknown[] = [];
  const all = new Promise<void>((resolve) => {
    const callbacks = new Callbacks((error) => {
      if (thrown.push(error) === 7) resolve();
    });
    callbacks.on(emitter, "on", fails);
    callbacks.once(emitter, "once", fails);
    callbacks.onAbort(abort.signal, fails);
    callbacks.after(1, fails);
    callbacks.soon(fails);
    callbacks.next(fails);
    callbacks.guarded(fails)();
  });
  emitter.emit("on");
  emitter.emit("once");
  abort.abort();
  await all;
  expect(thrown).toEqual(Array.from({ length: 7 }, () => new Error("oops")));
});

test("an unregistered callback is not called", () => {
  const emitter = new EventEmitter();
  const calls: string[] = [];
  const callbacks = new Callbacks(fails);
  const off = callbacks.on(emitter, "event", (value: string) => void calls.push(value));
  emitter.emit("event", "a");
  off();
  emitter.emit("event", "b");
  callbacks.once(emitter, "event", (value: string) => void calls.push(value))();
  emitter.emit("event", "c");
  expect([calls, emitter.listenerCount("event")]).toEqual([["a"], 0]);
});
