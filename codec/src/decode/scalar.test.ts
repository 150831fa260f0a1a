import fc from "fast-check";
import { expect, test } from "vitest";
import { costRatio } from "../testing/cpu.ts";
import { bytesFromBase64 } from "./scalar.ts";

const SPACE = fc.constantFrom("", "", "", "\n", "\r\n", " ", "\t", "\r\n  ");

/** Returns a string with white space between its characters. */
function spaced(text: string, spaces: readonly string[]): string {
  return (
    [...text].map((character, index) => `${spaces[index] ?? ""}${character}`).join("") + (spaces[0] ?? "")
  );
}

test("property: base64 is decoded with either alphabet, with or without padding, and with white space", () => {
  const base64 = fc.record({
    bytes: fc.uint8Array({ maxLength: 200 }),
    isUrl: fc.boolean(),
    isPadded: fc.boolean(),
    spaces: fc.array(SPACE, { maxLength: 300 }),
  });
  fc.assert(
    fc.property(base64, ({ bytes, isUrl, isPadded, spaces }) => {
      let text = Buffer.from(bytes).toString("base64");
      if (isUrl) text = text.replaceAll("+", "-").replaceAll("/", "_");
      if (!isPadded) text = text.replaceAll("=", "");
      expect([...(bytesFromBase64(spaced(text, spaces)) ?? [])]).toEqual([...bytes]);
    }),
  );
});

test("property: invalid base64 returns undefined, never a part of the data", () => {
  const other = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 2 })
    .filter((text) => !/^[\w\s+/=-]*$/.test(text));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), other, fc.nat(), (bytes, wrong, place) => {
      const text = Buffer.from(bytes).toString("base64");
      const at = place % (text.length + 1);
      expect(bytesFromBase64(text.slice(0, at) + wrong + text.slice(at))).toBeUndefined();
    }),
  );
});

test.each([
  "A",
  "AAAAA",
  "QQ==QQ==",
  "QQ===",
  "==QQ",
  "Q=Q",
  "data:;base64,QQ==",
  "QQ\u00a0QQ",
  "QQ,QQ",
  "\u0000",
])("%j is not valid base64", (text) => {
  expect(bytesFromBase64(text)).toBeUndefined();
});

test("decoding a long base64 string takes linear time", () => {
  const text = `${"QUJD".repeat(20)}\r\n`.repeat(20_000);
  const bytes = bytesFromBase64(text);
  expect(bytes?.length).toBe(60 * 20_000);
  expect(bytesFromBase64(`${text}!`)).toBeUndefined();
});

test.each([1, 4, 76])(
  "12 MB of base64 with a line break after every %i digits take at most six times as long as without line breaks",
  (digits) => {
    const line = `${"A".repeat(digits)}\n`;
    const text = Buffer.from(line.repeat((12 << 20) / line.length)).toString("latin1");
    const whole = "A".repeat(text.length);
    const ratio = costRatio(
      () => bytesFromBase64(text),
      () => bytesFromBase64(whole),
      20,
    );
    expect(ratio).toBeLessThan(6);
  },
);
