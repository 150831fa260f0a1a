import { expect, test } from "vitest";
import { costRatio } from "../../codec/src/testing/cpu.ts";
import { ArraySplitter } from "../../runtime/src/stream/array-splitter.ts";

function* bytewise(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

test("the cost of an item grows in proportion to its size, in one chunk and in one-byte chunks", () => {
  const itemOf = (size: number) => Buffer.from(`[{"a":"${"\\\\[é".repeat(size / 5)}"}]`);
  const found = (chunks: Iterable<Uint8Array>) => {
    const splitter = new ArraySplitter(1e9);
    let length = 0;
    for (const chunk of chunks) for (const { text } of splitter.items(chunk)) length += text.length;
    return length;
  };
  const large = itemOf(2_000_000);
  const small = itemOf(200_000);
  expect(found(bytewise(large))).toBe(found([large]));
  for (const cut of [(bytes: Uint8Array) => [bytes], bytewise]) {
    const ratio = costRatio(
      () => found(cut(large)),
      () => found(cut(small)),
    );
    // a quadratic splitter takes a hundred times as long
    expect(ratio).toBeLessThan(40);
  }
}, 120_000);
