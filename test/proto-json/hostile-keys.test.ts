import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { FieldMaskSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeStruct } from "../../codec/src/decode/dynamic.ts";
import { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonObject } from "../../codec/src/json/json.ts";
import { parseJson, parseJsonExactly } from "../../codec/src/json/parse-json.ts";
import { stringifyJson } from "../../codec/src/json/stringify-json.ts";
import { declaredPath, type MaskTable } from "../../codec/src/table/mask-table.ts";
import { startGateway } from "../../gateway/src/gateway.ts";
import { toNodeHeaders } from "../../gateway/src/protocol/headers.ts";
import { fieldMaskText } from "../../runtime/src/request/field-mask.ts";
import { nestedParameters } from "../../runtime/src/request/nested-parameters.ts";
import { readForm } from "../../runtime/src/response/form.ts";
import { httpUpstream, textOfRequest } from "../../runtime/src/testing/servers.ts";
import { PlainSchema, PlainService } from "../gen/rich/v1/plain_pb.ts";
import { PlainServiceRest } from "../gen/rich/v1/plain_rest.ts";

/** Names that every object inherits, names easily confused with them, and unusual strings. */
const HOSTILE = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
  "then",
  "",
  "0",
  "__proto__\\",
  '"',
];

const names = fc.uniqueArray(fc.constantFrom(...HOSTILE), { minLength: 1, maxLength: 5 });

const objectOf = (keys: readonly string[], value: string): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, value]));

test("property: hostile keys of maps and structs survive a round trip, on both paths and in-process", async () => {
  await using upstream = await httpUpstream(async (request, response) => {
    const body = await textOfRequest(request);
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  const upstreams = { "rich.v1": { baseUrl: upstream.url, retry: false as const } };
  const transport = createRestTransport({ adapters: [PlainServiceRest], upstreams });
  const client = createClient(PlainService, transport);
  const paths = await Promise.all(
    [true, false].map((fastPath) => startGateway({ adapters: [PlainServiceRest], upstreams, fastPath })),
  );
  await fc.assert(
    fc.asyncProperty(names, async (keys) => {
      const object = objectOf(keys, "a");
      const message = create(PlainSchema, {
        maps: { strings: object, structs: { s: object } },
        wellKnown: { struct: object },
      });
      const json = toJson(PlainSchema, message) as JsonObject;
      expect(toJson(PlainSchema, await client.echoPlain(message))).toEqual(json);
      for (const { port } of paths) {
        const response = await fetch(`http://127.0.0.1:${port}/rich.v1.PlainService/EchoPlain`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: stringifyJson(json),
        });
        expect(parseJson(await response.text())).toEqual(json);
      }
    }),
    { numRuns: 40 },
  );
  await Promise.all([...paths.map((gateway) => gateway.close()), transport.close()]);
});

test("property: hostile keys of documents and forms become own properties of the parsed objects", () => {
  fc.assert(
    fc.property(names, (keys) => {
      const json = objectOf(keys, "700000000000000001");
      const bare = stringifyJson(json).replaceAll('"700000000000000001"', "700000000000000001");
      expect(Object.keys(parseJsonExactly(bare) as JsonObject).sort()).toEqual([...keys].sort());
      const form = new URLSearchParams(Object.entries(objectOf(keys, "a")));
      expect(readForm(String(form)).value).toEqual(objectOf(keys, "a"));
      const out = new ProtoWriter();
      out.reset();
      out.root({ holder: json }, (object, writer) =>
        writer.message(1, object.holder, "holder", (holder, below) =>
          below.unknownStruct(1, holder, new Set(), decodeStruct),
        ),
      );
      const expected = create(StructSchema, {
        fields: Object.fromEntries(
          keys.map((key) => [key, { kind: { case: "stringValue" as const, value: "700000000000000001" } }]),
        ),
      });
      const struct = toBinary(StructSchema, expected);
      expect(toJson(StructSchema, fromBinary(StructSchema, out.finish().subarray(-struct.length)))).toEqual(
        json,
      );
    }),
    { numRuns: 300 },
  );
});

test("property: hostile keys are sent as parameter names, or rejected if servers would parse them differently", () => {
  fc.assert(
    fc.property(names, (keys) => {
      if (keys.includes("")) {
        const rejected = () => [...nestedParameters("p", objectOf(keys, "a"), "indexed", "query")];
        expect(rejected).toThrow(/p/);
        return;
      }
      const pairs = [...nestedParameters("p", objectOf(keys, "a"), "indexed", "query")];
      expect(pairs).toEqual(Object.keys(objectOf(keys, "a")).map((key) => [`p[${key}]`, "a"]));
    }),
    { numRuns: 100 },
  );
});

test.each(HOSTILE.filter((name) => /^\w+$/.test(name)))(
  "a field mask may contain the path %s even if the mask's table does not",
  (name) => {
    const table: MaskTable = { known: { name: "wire", fields: () => ({}) } };
    const mask = create(FieldMaskSchema, { paths: [name, `known.${name}`] });
    expect(fieldMaskText(mask, table, "asDeclared")).toBe(`${name},wire.${name}`);
    const declared = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(declaredPath(`wire.${name}`, table)).toBe(`known.${declared}`);
  },
);

test("headers may have the names of inherited properties", () => {
  const headers = new Headers([
    ["__proto__", "1"],
    ["constructor", "2"],
    ["valueof", "3"],
    ["set-cookie", "a"],
    ["set-cookie", "b"],
  ]);
  expect(Object.entries(toNodeHeaders(headers)).sort()).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
    ["set-cookie", ["a", "b"]],
    ["valueof", "3"],
  ]);
});
