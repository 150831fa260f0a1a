import { expect, test } from "vitest";
import { ProgressBar } from "./progress-bar.ts";

function barOn(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const bar = new ProgressBar({ isTTY, write: (text) => written.push(text) }, () => now);
  const at = (ms: number, share: number) => {
    now = ms;
    bar.show(share, `${share * 100} of 100 operations`);
  };
  return { bar, at, written };
}

test("the bar appears after a second, is updated every 100 ms, and is removed", () => {
  const { bar, at, written } = barOn(true);
  at(999, 0.1);
  expect(written).toEqual([]);
  at(1000, 0.5);
  at(1050, 0.6);
  at(1100, 1);
  expect(written).toEqual([
    `\r\x1b[K[${"#".repeat(15)}${".".repeat(15)}] 50 of 100 operations`,
    `\r\x1b[K[${"#".repeat(30)}] 100 of 100 operations`,
  ]);
  bar.clear();
  expect(written.at(-1)).toBe("\r\x1b[K");
});

test("the bar does not appear if the stream is not a terminal, or if the work ends within a second", () => {
  const { bar, at, written } = barOn(false);
  at(5000, 0.5);
  bar.clear();
  expect(written).toEqual([]);
  const short = barOn(true);
  short.at(500, 1);
  short.bar.clear();
  expect(short.written).toEqual([]);
});
