import fc from "fast-check";
import { expect, test } from "vitest";
import { ArrayFault, ArraySplitter } from "./array-splitter.ts";
import { RecordTooLarge } from "./lines.ts";

/** The items of a body, and the error at their end. */
interface Split {
  readonly items: readonly unknown[];
  readonly end: "end" | "cut" | "no array" | "fault";
}

function split(chunks: Iterable<Uint8Array>, maxBytes = 1e9): Split {
  const splitter = new ArraySplitter(maxBytes);
  const items: unknown[] = [];
  try {
    for (const chunk of chunks) for (const { text } of splitter.items(chunk)) items.push(JSON.parse(text));
  } catch (error) {
    if (error instanceof ArrayFault || error instanceof SyntaxError) return { items, end: "fault" };
    throw error;
  }
  if (splitter.other !== undefined) return { items, end: "no array" };
  return { items, end: splitter.ended ? "end" : "cut" };
}

const bytesOf = (text: string) => Buffer.from(text);
const bytewise = (bytes: Uint8Array) => Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));

/** Cuts bytes into chunks, which may be empty. */
function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(0, -1).map((start, index) => bytes.subarray(start, places[index + 1]));
}

function whole(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

test.each<[string, readonly unknown[], Split["end"]]>([
  ["[]", [], "end"],
  [" [ ] \r\n\t", [], "end"],
  ["\ufeff[1]", [1], "end"],
  ['\ufeff [{"a":1}\n,\r\n{"b":[2]}\n]\n', [{ a: 1 }, { b: [2] }], "end"],
  ['["]","[,","\\"]","\\\\",{"]":"}"}]', ["]", "[,", '"]', "\\", { "]": "}" }], "end"],
  ["[1,-2.5e3 , true,false,null]", [1, -2500, true, false, null], "end"],
  ["", [], "cut"],
  [" \n", [], "cut"],
  ["\ufeff", [], "cut"],
  ["[", [], "cut"],
  ["[1", [], "cut"],
  ["[1,", [1], "cut"],
  ['[1,"a', [1], "cut"],
  ['[1,{"a":[]', [1], "cut"],
  ["[1]x", [1], "fault"],
  ["[1][2]", [1], "fault"],
  ["[1]]", [1], "fault"],
  ["[1] \0", [1], "fault"],
  ["[,1]", [], "fault"],
  ["[1,]", [1], "fault"],
  ["[1,,2]", [1], "fault"],
  ["[1 2]", [1], "fault"],
  ['["a""b"]', ["a"], "fault"],
  ["[{}{}]", [{}], "fault"],
  ["[1}", [], "cut"],
  ["[1},2]", [], "fault"],
  ["[{]]", [], "fault"],
  ['[1",",2]', [], "fault"],
  ["[tru]", [], "fault"],
  ["[01]", [], "fault"],
  ["[undefined]", [], "fault"],
  ["[\ufeff1]", [], "fault"],
  ["[\u00a01]", [], "fault"],
  ["[]\ufeff", [], "fault"],
  [" \ufeff[1]", [], "no array"],
  ["\ufeff\ufeff[1]", [], "no array"],
  ['{"a":[1]}', [], "no array"],
  ["1", [], "no array"],
  ["<html>", [], "no array"],
  [")]}'\n[1]", [], "no array"],
])("an array is split into its items, or its error is reported: %j", (text, items, end) => {
  expect(split([bytesOf(text)])).toEqual({ items, end });
  expect(split(bytewise(bytesOf(text)))).toEqual({ items, end });
});

const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
const spaces = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const cuts = fc.array(fc.nat(), { maxLength: 20 });
const body = fc.tuple(fc.array(value, { maxLength: 8 }), fc.array(spaces, { minLength: 20, maxLength: 20 }));

/** Encodes an array with whitespace around its items and, by JSON.stringify, within its items. */
function written([items, gaps]: readonly [readonly unknown[], readonly string[]]): Uint8Array {
  const gap = (at: number) => gaps[at % gaps.length] ?? "";
  const parts = items.map((item, index) => {
    return gap(2 * index) + JSON.stringify(item, undefined, gap(index)) + gap(2 * index + 1);
  });
  return bytesOf(`${gap(17)}[${items.length === 0 ? gap(18) : parts.join(",")}]${gap(19)}`);
}

test("property: the items of an array are the same in one piece and in chunks of any size, with any whitespace", () => {
  fc.assert(
    fc.property(body, cuts, (array, places) => {
      const bytes = written(array);
      const expected = { items: whole(bytes), end: "end" };
      expect(split(cutAt(bytes, places))).toEqual(expected);
      expect(split(bytewise(bytes))).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("property: if one byte of a body changes, the items before that byte are still found", () => {
  const structural = fc.constantFrom(...bytesOf('[]{},:"\\ \n0-e.tfn\u00a0\ufeff'));
  const change = fc.tuple(
    fc.nat(),
    fc.oneof(structural, fc.nat(255)),
    fc.constantFrom("set", "insert", "cut"),
  );
  fc.assert(
    fc.property(body, cuts, change, (array, places, [at, byte, how]) => {
      const original = written(array);
      const place = at % original.length;
      const rest = original.subarray(how === "insert" ? place : place + 1);
      const changed = Buffer.concat([
        original.subarray(0, place),
        how === "cut" ? new Uint8Array() : Uint8Array.of(byte, ...rest),
      ]);
      const found = split(cutAt(changed, places));
      const parsed = whole(changed);
      if (Array.isArray(parsed)) {
        expect(found).toEqual({ items: parsed, end: "end" });
        return;
      }
      expect(found.end).not.toBe("end");
      const before = split([original.subarray(0, place)]).items;
      expect(found.items.slice(0, before.length)).toEqual(before);
    }),
    { numRuns: 2000 },
  );
});

test("an item may have exactly the maximum size, and the bytes around it do not count", () => {
  const item = JSON.stringify("x".repeat(98));
  for (const chunks of [[bytesOf(`[${" ".repeat(500)}${item},${item}]`)], bytewise(bytesOf(`[${item}]`))]) {
    expect(split(chunks, 100).end).toBe("end");
    expect(() => split(chunks, 99)).toThrow(RecordTooLarge);
  }
});

test("items before an item that is too large are delivered", () => {
  const splitter = new ArraySplitter(10);
  const items = splitter.items(bytesOf('[1,"12345678901"]'));
  expect(items.next().value).toEqual({ text: "1", malformed: false });
  expect(() => items.next()).toThrow(RecordTooLarge);
});
