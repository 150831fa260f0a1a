import fc from "fast-check";
import { expect, test } from "vitest";
import { patched } from "./patch.ts";
import { blockAt, nextNumber, readSource } from "./proto-source.ts";

const SOURCE = `syntax = "proto3";
package shop.v1; // message Fake { string no = 9; }
import "a.proto"; import public 'b.proto';
/* message Other {
   } */
message Order {
  option (odd) = { text: "}", inner { list: [1, 2] } };
  reserved 2, 4 to 6;
  reserved "gone", 'lost';
  string id = 1 [(rule).when = {values: "a;b"}];
  map<string, Line> lines = 3; // the lines }
  oneof kind {
    int32 number = 7 [deprecated = true];
    string text = 8;
  }
  message Line { string sku = 1; }
  enum State { STATE_UNSPECIFIED = 0; STATE_ODD = -1; }
}
message Empty {}
service Orders { rpc Get(Empty) returns (Order) { option (x) = {get: "/v1/{id}"}; } }
`;

test("finds messages, enums and their members, between comments, strings and options", () => {
  const source = readSource(SOURCE);
  expect(source).toMatchObject({ syntax: "proto3", imports: [{ path: "a.proto" }, { path: "b.proto" }] });
  const order = blockAt(source, ["Order"]);
  expect(order?.members.map(({ name, number }) => [name, number])).toEqual([
    ["id", 1],
    ["lines", 3],
    ["number", 7],
    ["text", 8],
  ]);
  expect(order?.reservedNames).toEqual(expect.arrayContaining(["gone", "lost"]));
  expect(blockAt(source, ["Order", "Line"])?.members).toMatchObject([{ name: "sku", number: 1 }]);
  expect(blockAt(source, ["Order", "State"])?.members).toMatchObject([{ number: 0 }, { number: -1 }]);
  expect(blockAt(source, ["Empty"])?.members).toEqual([]);
  for (const path of [["Fake"], ["Other"], ["Line"], ["Orders"]]) {
    expect(blockAt(source, path)).toBeUndefined();
  }
});

test("a group is a field and a message", () => {
  const source = readSource(
    "message A { optional group Part = 3 { optional int32 b = 1; } optional int32 c = 4; }",
  );
  expect(source.syntax).toBe("proto2");
  expect(blockAt(source, ["A"])?.members.map(({ name }) => name)).toEqual(["c", "Part"]);
  expect(blockAt(source, ["A", "Part"])?.members).toMatchObject([{ name: "b" }]);
});

test("new numbers follow the highest number, and are neither reserved nor in an extension range", () => {
  const numbered = (body: string) => {
    const block = blockAt(readSource(`message A { ${body} }`), ["A"]);
    return block && nextNumber(block, []);
  };
  expect(numbered("")).toBe(1);
  expect(numbered("int32 a = 3; reserved 4, 5 to 7;")).toBe(8);
  expect(numbered("int32 a = 3; extensions 4 to max;")).toBe(1);
  expect(numbered("int32 a = 18999;")).toBe(20_000);
  expect(numbered("int32 a = 536870911; int32 b = 1; reserved 2 to 8;")).toBe(9);
  expect(numbered("int32 a = 0x10;")).toBe(17);
});

test("lines follow the line of their offset, and one-line blocks are split", () => {
  const text = "message A {\r\n  int32 a = 1; // one\r\n}\r\nmessage B {}";
  const at = (part: string) => text.indexOf(part) + part.length;
  const { text: after, diff } = patched(
    text,
    [
      { offset: at("a = 1;"), lines: ["  int32 b = 2;"] },
      { offset: at("B {"), lines: ["  int32 c = 1;"] },
    ],
    "a.proto",
  );
  expect(after).toBe(
    "message A {\r\n  int32 a = 1; // one\r\n  int32 b = 2;\r\n}\r\nmessage B {\r\n  int32 c = 1;\r\n}",
  );
  expect(diff).toBe(
    [
      "--- a/a.proto\n+++ b/a.proto\n@@ -1,4 +1,7 @@\n message A {\r\n   int32 a = 1; // one\r\n+  int32 b = 2;\r\n }\r\n",
      "-message B {}\n\\ No newline at end of file\n+message B {\r\n+  int32 c = 1;\r\n+}\n\\ No newline at end of file\n",
    ].join(""),
  );
});

test("property: any text is read, and everything but the added lines stays the same", () => {
  const pieces = fc.constantFrom(
    ..."{};=[]\"'/*\n,<>-".split(""),
    "message A",
    "enum",
    "//",
    "/*",
    "*/",
    "reserved 1 to max",
    "a = 1",
  );
  const texts = fc.array(pieces, { maxLength: 60 }).map((all) => all.join(" "));
  const property = fc.property(texts, fc.nat(), (text, at) => {
    for (const block of readSource(text).blocks) expect(block.close).toBeGreaterThanOrEqual(block.open);
    const { text: after } = patched(text, [{ offset: at % (text.length + 1), lines: ["ADDED"] }], "a.proto");
    const rest = after.replace(/ADDED\n/, "");
    expect(after).toContain("ADDED\n");
    expect(rest.replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
  });
  fc.assert(property, { numRuns: 2000 });
});
