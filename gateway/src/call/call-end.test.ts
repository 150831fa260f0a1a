import { expect, test } from "vitest";
import { CallEnd } from "./call-end.ts";

test("a signal that was asked for before the end is aborted at it, with the reason of the first end", () => {
  const end = new CallEnd();
  const { signal } = end;
  expect(signal.aborted).toBe(false);
  end.end("first");
  end.end("second");
  expect([signal.aborted, signal.reason, end.reason]).toEqual([true, "first", "first"]);
  expect(end.signal).toBe(signal);
});

test("a signal that is asked for after the end is aborted already", () => {
  const end = new CallEnd();
  end.end("over");
  expect([end.signal.aborted, end.signal.reason]).toEqual([true, "over"]);
});

test("the last listener hears of the end, once, before or after it", () => {
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

test("a listener that was taken back hears nothing", () => {
  const end = new CallEnd();
  const heard: unknown[] = [];
  end.onCancel((reason) => heard.push(reason));
  end.onCancel(undefined);
  end.end("over");
  expect(heard).toEqual([]);
});
