import { expect, test } from "vitest";
import { foreignText } from "./charset.ts";

test.each([
  ["application/json; charset=iso-8859-1", Buffer.from("dé", "latin1")],
  ['application/json;charset="ISO-8859-1"', Buffer.from("dé", "latin1")],
  ["application/json; a=b; Charset = latin1; c=d", Buffer.from("dé", "latin1")],
  ["text/json; charset=utf-16le", Buffer.from("dé", "utf16le")],
  ["text/json; charset=windows-1251", Buffer.from([0x64, 0xe9])],
])("foreignText reads %s", (type, bytes) => {
  expect(foreignText(bytes, type)).toBe(type.includes("1251") ? "dй" : "dé");
});

test.each([
  undefined,
  "application/json",
  "application/json; charset=utf-8",
  'application/json; charset="UTF-8"',
  "application/json; charset=utf8",
  "application/json; charset=US-ASCII",
  "application/json; charset=klingon",
  "application/json; charset=",
])("foreignText treats %s as UTF-8", (type) => {
  expect(foreignText(Buffer.from("dé"), type)).toBeUndefined();
});

test("foreignText replaces invalid bytes", () => {
  expect(foreignText(Buffer.from([0x61, 0xff]), "text/plain; charset=shift_jis")).toBe("a\ufffd");
});
