import { create, createRegistry, equals, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { AnySchema, Int64ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startGateway } from "../../gateway/src/gateway.ts";
import { strictJson } from "../../gateway/src/protocol/strict-json.ts";
import { httpUpstream, textOfRequest } from "../../runtime/src/testing/servers.ts";
import { PlainSchema } from "../gen/rich/v1/plain_pb.ts";
import { PlainServiceRest } from "../gen/rich/v1/plain_rest.ts";

const types = createRegistry(PlainSchema, Int64ValueSchema);
const signed = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const unsigned = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const integers = fc
  .record({ signed, unsigned, text: fc.constantFrom('"', "\\", '9007199254740993,"', "é") })
  .map(({ signed, unsigned, text }) =>
    create(PlainSchema, {
      scalars: { int64Value: signed, uint64Value: unsigned, sint64Value: signed, stringValue: text },
      lists: { int64Values: [signed, 1n], fixed64Values: [unsigned] },
      maps: {
        int64s: { [String(signed)]: signed },
        wrappers: { [text]: create(Int64ValueSchema, { value: signed }) },
      },
      wrappers: { int64Value: signed, uint64Value: unsigned, doubleValue: Number(unsigned) },
      choice: { choice: { case: "number", value: signed } },
      children: [{ scalars: { sfixed64Value: signed } }],
    }),
  );

/** Returns the message as JSON with bare 64-bit integers. */
function bare(message: Parameters<typeof toJsonString<typeof PlainSchema>>[1]): string {
  return toJsonString(PlainSchema, message).replace(/([:[,])"(-?\d+)"(?=[,\]}])/g, "$1$2");
}

const exact = (text: string) =>
  fromJsonString(PlainSchema, strictJson(PlainSchema, text, types), { registry: types });

test("a JSON request: reads every bare 64-bit integer exactly", () => {
  fc.assert(
    fc.property(integers, (message) => {
      expect(equals(PlainSchema, exact(bare(message)), message)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

const NOTATIONS: ReadonlyArray<readonly [notation: string, value: bigint]> = [
  ["9007199254740993", 9007199254740993n],
  ["9007199254740993.0", 9007199254740993n],
  ["9.007199254740993e15", 9007199254740993n],
  ["-9223372036854775808", -(2n ** 63n)],
  ["1e3", 1000n],
  ["1.0", 1n],
  ["0e99", 0n],
  ["922337203685477580.7E1", 2n ** 63n - 1n],
];

test.each(NOTATIONS)("a JSON request: reads the integer %s", (text, value) => {
  expect(exact(`{"scalars":{"int64Value":${text}}}`).scalars?.int64Value).toBe(value);
});

test("a JSON request: reads every integer in a string, with any of its characters escaped", () => {
  const areEscaped = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 });
  const space = fc.constantFrom("", " ", "\n\t");
  fc.assert(
    fc.property(fc.constantFrom(...NOTATIONS), areEscaped, space, ([notation, value], escaped, gap) => {
      const text = [...notation]
        .map((each, index) =>
          escaped[index] ? `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}` : each,
        )
        .join("");
      const json = `{"scalars":{"int64Value"${gap}:${gap}"${text}"${gap}},"lists":{"int64Values":["${text}"]}}`;
      const { scalars, lists } = exact(json);
      expect([scalars?.int64Value, lists?.int64Values]).toEqual([value, [value]]);
      const keyed = `{"maps":{"strings":{"${text}"${gap}:"${text}"}}}`;
      expect(exact(keyed).maps?.strings).toEqual({ [notation]: notation });
    }),
    { numRuns: 300 },
  );
});

test.each([
  '{"scalars":{"int64Value":9007199254740993.5}}',
  '{"scalars":{"int64Value":1.00000000000000000001}}',
  '{"scalars":{"int32Value":1.00000000000000000001}}',
  '{"scalars":{"int32Value":1e-400}}',
  '{"scalars":{"int64Value":1e400}}',
  '{"scalars":{"uint64Value":18446744073709551616}}',
  '{"scalars":{"int32Value":9007199254740993}}',
  '{"scalars":{"stringValue":9007199254740993}}',
  '{"scalars":{"bytesValue":9007199254740993}}',
  '{"scalars":{"boolValue":9007199254740993}}',
  '{"wellKnown":{"value":9007199254740993}}',
  '{"wellKnown":{"struct":{"a":[{"b":700000000000000001}]}}}',
  '{"scalars":{"int64Value":9007199254740993},"scalars":{}}',
  '{"scalars":{"int64Value":9007199254740993,}}',
])("a JSON request: rejects %s", (text) => {
  expect(() => exact(text)).toThrow();
});

test("a JSON request: does not change doubles, or values that a double holds exactly", () => {
  const text =
    '{"scalars":{"doubleValue":12345678901234567890.5},"wellKnown":{"list":[1e20,0.12345678901234567]}}';
  expect(strictJson(PlainSchema, text, types)).toBe(text);
});

test("a JSON request: reads integers in a google.protobuf.Any exactly", () => {
  const value = '{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":9007199254740993}';
  expect(strictJson(AnySchema, value, types)).toContain('"9007199254740993"');
  const fields = '{"@type":"type.googleapis.com/rich.v1.Plain","scalars":{"int64Value":9007199254740993}}';
  expect(strictJson(AnySchema, fields, types)).toContain('"9007199254740993"');
});

test("a JSON request: reaches the upstream with exact integers, on both paths and by every protocol", async () => {
  const bodies: string[] = [];
  await using upstream = await httpUpstream(async (request, response) => {
    bodies.push(await textOfRequest(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const text = '{"scalars":{"int64Value":735000000000070633,"uint64Value":18446744073709551615}}';
  for (const fastPath of [true, false]) {
    const gateway = await startGateway({
      adapters: [PlainServiceRest],
      upstreams: { "rich.v1": { baseUrl: upstream.url, retry: false } },
      fastPath,
    });
    for (const [type, body] of [
      ["application/json", Buffer.from(text)],
      ["application/grpc-web+json", enveloped(text)],
    ] as const) {
      const address = `http://127.0.0.1:${gateway.port}/rich.v1.PlainService/EchoPlain`;
      const response = await fetch(address, { method: "POST", headers: { "content-type": type }, body });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    await gateway.close();
  }
  const sent = { scalars: { int64Value: "735000000000070633", uint64Value: "18446744073709551615" } };
  expect(bodies.map((body) => JSON.parse(body))).toEqual([sent, sent, sent, sent]);
});

function enveloped(text: string): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}
