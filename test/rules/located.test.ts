import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AnySchema, ListValueSchema, TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { BadRequestSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { LocatedService, type NumsSchema } from "../gen/rules/v1/located_pb.ts";
import { LocatedServiceRest } from "../gen/rules/v1/located_rest.ts";

type Nums = MessageInitShape<typeof NumsSchema>;

// No request is ever sent.
const transport = createRestTransport({
  adapters: [LocatedServiceRest],
  upstreams: { rules: { baseUrl: "http://127.0.0.1:9", bases: { api: "http://127.0.0.1:9" } } },
});
afterAll(() => transport.close());
const client = createClient(LocatedService, transport);

/** Returns the path at the start of an error's text, and the field of its violation. */
async function failed(call: Promise<unknown>): Promise<readonly (string | undefined)[]> {
  const error = await call.then(
    () => new ConnectError("sent"),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  const [violation] = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
  return [error.rawMessage.replace(/: .*/s, ""), violation?.field];
}

/** Values that cannot be sent, each with its path. */
const WRONG: ReadonlyArray<readonly [step: string, nums: Nums]> = [
  ["rest.bad key", { rest: { good: "1", "bad key": "{" } }],
  ["made_at", { madeAt: create(TimestampSchema, { seconds: 1n << 60n }) }],
  ["any_json", { anyJson: create(ValueSchema) }],
  ["json_list", { jsonList: create(ListValueSchema, { values: [create(ValueSchema)] }) }],
  ["packed", { packed: create(AnySchema, { typeUrl: "t/acme.v1.None" }) }],
  ["tag_names", { tagNames: ["a", "b,c"] }],
];

/** Ways to nest a message inside another message. */
const STEPS: ReadonlyArray<(inner: Nums) => readonly [step: string, outer: Nums]> = [
  (inner) => ["items_below[1]", { itemsBelow: [{ rest: { bad: "1" } }, inner] }],
  (inner) => ["by_name.a.b", { byName: { x: {}, "a.b": inner } }],
  (inner) => ["chosen", { oneOf: { case: "chosen", value: inner } }],
];

test("the error for a value that cannot be sent names the value's path in the request, at any depth of a body", async () => {
  const ways = fc.array(fc.constantFrom(...STEPS), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WRONG), ways, fc.boolean(), async ([last, wrong], steps, isPart) => {
      let nums = wrong;
      let path = last;
      for (const step of steps) {
        const [name, outer] = step(nums);
        nums = outer;
        path = `${name}.${path}`;
      }
      const request = { nums: { ...nums, word: "w" } };
      const [text, field] = await failed(isPart ? client.sendNums(request) : client.sendAll(request));
      expect(field).toBe(`nums.${path}`);
      // An error about an Any names its type.
      expect(text).toBe(last === "packed" ? "google.protobuf.Any of t/acme.v1.None" : `nums.${path}`);
    }),
    { numRuns: 300 },
  );
});

test.each<[place: string, path: string, call: () => Promise<unknown>]>([
  ["path", "nums.word", () => client.sendNums({ nums: { word: ".." } })],
  ["query", "filter_by.text_part", () => client.sendQuery({ filterBy: { textPart: "\ud800" } })],
  ["query, a number", "filter_by.max_price", () => client.sendQuery({ filterBy: { maxPrice: Number.NaN } })],
  ["query, a list", "sizes[1]", () => client.sendQuery({ sizes: [1, Number.POSITIVE_INFINITY] })],
  ["header", "trace_id", () => client.sendQuery({ traceId: "a\nb" })],
  ["part", "file_title", () => client.sendParts({ fileTitle: "\udfff" })],
])(
  "the error for a value that cannot be sent (%s) names the value's path in the request, %s",
  async (_place, path, call) => {
    expect(await failed(call())).toEqual([path, path]);
  },
);

test("the error for a value with two possible paths names the parameter", async () => {
  const twice = { filterBy: { maxPrice: Number.NaN }, sizes: [Number.NaN] };
  expect(await failed(client.sendQuery(twice))).toEqual(["f.maxPrice", "f.maxPrice"]);
});
