import { fromBinary } from "@bufbuild/protobuf";
import { Int64ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decode } from "../decode-bytes.ts";
import { EnumTable } from "../table/enum-table.ts";
import { type Kind, table } from "../table/message-table.ts";

function read(kind: Kind, text: string, ...keys: string[]) {
  const { bytes, differences } = decode(
    table("test.v1.Absent", () => [[1, kind, ...(keys.length === 0 ? ["n"] : keys)]]),
    Buffer.from(text),
  );
  return { bytes: Buffer.from(bytes).toString("hex"), bytesOf: bytes, differences: differences.list };
}

const NOTHING = { bytes: "", differences: [] };

test("property: among integers of any size, only the absent word itself counts as absent", () => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(integer, fc.bigInt({ min: -3n, max: 3n }), (word, distance) => {
      const value = BigInt.asIntN(64, word + distance);
      const kind: Kind = { absent: [String(word)], of: "int64" };
      for (const text of [`{"n":${value}}`, `{"n":"${value}"}`]) {
        const { bytes, bytesOf, differences } = read(kind, text);
        if (value === word) {
          expect({ bytes, differences }).toEqual(NOTHING);
        } else {
          expect(fromBinary(Int64ValueSchema, bytesOf).value).toBe(value);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test.each<[kind: Kind, json: string]>([
  ["string", '"-"'],
  ["bytes", '"-"'],
  ["bool", '"-"'],
  ["double", '"-"'],
  ["duration", '"-"'],
  [{ time: "seconds" }, '"-"'],
  [{ wrapper: "int32" }, '"-"'],
  [{ list: "int32" }, '"-"'],
  [{ map: "int32" }, '"-"'],
  [table("test.v1.Inner", () => [[1, "string", "a"]]), '"-"'],
  [{ loose: "int32" }, '"-"'],
])("a field of any kind is absent if its value is the absent word: %j", (of, json) => {
  expect(read({ absent: ["x", "-"], of }, `{"n":${json}}`)).toMatchObject(NOTHING);
});

test("if several keys are present, the first non-null value counts, even if it is an absent word", () => {
  const kind: Kind = { absent: ["N/A"], of: "int32" };
  expect(read(kind, '{"a":"N/A","b":5}', "a", "b")).toMatchObject(NOTHING);
  expect(read(kind, '{"a":null,"b":5}', "a", "b").bytes).toBe("0805");
});

test("null is a value of google.protobuf.NullValue under each of its keys", () => {
  const words = new EnumTable("google.protobuf.NullValue", [[0, "NULL_VALUE"]]);
  const nullable: Kind = { nullable: words };
  for (const text of ['{"a":null}', '{"b":null}']) {
    expect(read({ absent: ["-"], of: nullable }, text, "a", "b").bytes).toBe(
      read(nullable, text, "a", "b").bytes,
    );
  }
});
