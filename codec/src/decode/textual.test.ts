import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { ProtoWriter } from "./proto-writer.ts";

function differences(textual: boolean): string[] {
  const out = new ProtoWriter();
  out.reset(false, textual);
  out.int32(1, "5", "int");
  out.bool(2, "true", "bool");
  out.double(3, "1.5", "double");
  out.list(4, "one", "list", "string");
  out.uint64(5, "700000000000000001", "long");
  out.int32(6, "x", "odd");
  out.bool(7, "maybe", "unsure");
  return out.differences.map((each) => `${each.class} ${each.path}`);
}

test("in a form, numbers, booleans and lists of one item are valid as strings", () => {
  expect(differences(true)).toEqual(["lost odd", "lost unsure"]);
  expect(differences(false)).toEqual([
    "converted int",
    "converted bool",
    "converted double",
    "converted list",
    "lost odd",
    "lost unsure",
  ]);
});

test("the same values in a form and with declared types give the same bytes", () => {
  const bytes = [true, false].map((textual) => {
    const out = new ProtoWriter();
    out.reset(false, textual);
    out.int32(1, "5", "int");
    out.bool(2, "true", "bool");
    return Buffer.from(out.finish()).toString("hex");
  });
  expect(bytes).toEqual(["08051001", "08051001"]);
});

test("list items of a form are written as separate messages, with their index in reports", () => {
  const out = new ProtoWriter();
  out.reset();
  const item = (value: unknown, index: number) =>
    out.item(value as never, "a.posts", index, { from: "object", decode });
  const decode = (json: JsonObject, writer: ProtoWriter) => {
    writer.int32(1, json.id, "id");
    writer.unknownKeys(json, new Set(["id"]));
  };
  const items = [{ id: 1 }, 7, { id: "2", other: true }].map(item);
  expect(items.map((bytes) => bytes && Buffer.from(bytes).toString("hex"))).toEqual([
    "0801",
    undefined,
    "0802",
  ]);
  expect(out.differences.map((each) => `${each.class} ${each.path}`)).toEqual([
    "lost a.posts[1]",
    "converted a.posts[2].id",
    "additional a.posts[2].other",
  ]);
});
