import { expect, test } from "vitest";
import { readJson, writeJson } from "./json.ts";

test.each(["\\", '"', "\n", '\\"', "k\\", "__proto__\\", "é\\"])(
  "readJson reads keys with escapes correctly, after any other keys: %j",
  (key) => {
    const text = JSON.stringify(key);
    JSON.parse(`{${JSON.stringify(`first${text}`)}:1,${JSON.stringify(text.slice(1, 1 + key.length))}:1}`);
    const json = `{${JSON.stringify(`first${text}`)}:1,${text} :[{${text}:9007199254740993}]}`;
    const value = readJson(json) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual([`first${text}`, key]);
    expect(writeJson(value)).toBe(json.replace(" ", ""));
  },
);

test("readJson reads long strings with many escapes, and rejects malformed JSON", () => {
  const text = `{"${'\\"'.repeat(1_000_000)}":"${"\\\\".repeat(1_000_000)}"}`;
  expect(writeJson(readJson(text))).toBe(text);
  for (const wrong of ['{"\\x":1}', '{"\\":1}', '{"\\n":1', '{"\\n":}']) {
    expect(() => readJson(wrong)).toThrow(SyntaxError);
  }
});
