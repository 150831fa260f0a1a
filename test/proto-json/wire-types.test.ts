/**
 * Tests known field numbers with each of the eight wire types: protobuf-es reads a field by its number only.
 */
import { type DescFile, type DescMessage, fromBinary, toJsonString } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import * as wellKnown from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { printJson, printJsonInParts } from "../../codec/src/print/print-json.ts";
import { WasmPrinter } from "../../codec/src/print/wasm-printer.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import { file_blog_v1_post_resource } from "../../gen/blog/v1/post_resource_pb.ts";

const wasm = new WasmPrinter();

const TYPES: readonly DescMessage[] = [file_blog_v1_post_resource, ...Object.values(wellKnown)]
  .filter((each) => isFile(each))
  .flatMap((file) => [...nestedTypes(file)])
  .filter((type) => type.kind === "message");

function isFile(value: object): value is DescFile {
  return "kind" in value && value.kind === "file";
}

/** Bytes that follow a tag; some are valid for one wire type, some for several. */
const VALUES = [
  "", "00", "01", "80808001", "808080808001", "ffffffffffffffffff01", "01000000", "0161", "020801", "0410011001",
  "08011001", "0000000000000000", "8080808080808001", "0801080108010801", "0a000a000a000a00", "0708ffffffffff0f",
]; // biome-ignore format: a table

function* members(type: DescMessage): Generator<Uint8Array> {
  for (const { number } of type.fields) {
    for (let wireType = 0; wireType < 8; wireType++) {
      const tag = varint(number * 8 + wireType);
      const endOfGroup = varint(number * 8 + 4);
      for (const value of VALUES) {
        const field = Buffer.concat([tag, Buffer.from(value, "hex")]);
        yield field;
        yield Buffer.concat([field, field]);
        if (wireType === 3) yield Buffer.concat([field, endOfGroup]);
      }
    }
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** Returns normalized JSON, or the text of the error. */
function outcome(print: () => string | Uint8Array): string {
  try {
    return JSON.stringify(JSON.parse(Buffer.from(print()).toString()));
  } catch (error) {
    return String(error);
  }
}

test.each(TYPES.map((type) => [type.typeName, type] as const))(
  "%s with a field of another wire type is printed as in protobuf-es",
  (_, type) => {
    for (const bytes of members(type)) {
      const expected = outcome(() => toJsonString(type, fromBinary(type, bytes)));
      const printed = [
        outcome(() => printJson(type, bytes, { types: undefined, wasm })),
        outcome(() => atOnce(printJsonInParts(type, bytes, { types: undefined, wasm }, 0))),
        outcome(() => atOnce(printJsonInParts(type, bytes, { types: undefined, wasm: undefined }, 0))),
      ];
      expect(new Set(printed), Buffer.from(bytes).toString("hex")).toEqual(new Set([expected]));
    }
  },
);
