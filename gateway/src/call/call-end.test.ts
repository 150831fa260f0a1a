import { expect, test } from "vitest";
import { CallEnd } from "./call-end.ts";

test("the signal is aborted when the call ends, with the reason of the first end", () => {
  const end = new CallEnd();
  const { signal } = end;
  expect(signal.aborted).toBe(false);
  end.end("first");
  end.end("second");
  expect([signal.aborted, signal.reason, end.reason]).toEqual([true, "first", "first"]);
  expect(end.signal).toBe(signal);
});

test("a signal created after the end of the call is already aborted", () => {
  const end = new CallEnd();
  end.end("over");
  expect([end.signal.aborted, end.signal.reason]).toEqual([true, "over"]);
});

test("only the last listener is called, once, whether it is registered before or after the end", () => {
  const end = new CallEnd();
  const heard: unknown[] = [];
  end.onCancel((reason) => heard.push(["replaced", reason]));
  end.onCancel((reason) => heard.push(["last", reason]));
  end.end("over");
  end.end("again");
  expect(heard).toEqual([["last", "over"]]);
  end.onCancel((reason) => heard.push(["late", reason]));
  expect(heard.at(-1)).toEqual(["late", "over"]);
});

test("a removed listener is not called", () => {
  const end = new CallEnd();
  const heard: unknown[] = [];
  end.onCancel((reason) => heard.push(reason));
  end.onCancel(undefined);
  end.end("over");
  expect(heard).toEqual([]);
});
