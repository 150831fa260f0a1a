import type { JsonValue } from "connect-rest-codec/internal";
import { valueAt } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { payloadOf, statusOf } from "./envelope.ts";

const wrapped = { payload: ["response.blog", "response"] };

test.each<[JsonValue | undefined, JsonValue | undefined]>([
  [{ response: { blog: { name: "a" } } }, { name: "a" }],
  [{ response: { name: "b" } }, { name: "b" }],
  [{ response: { blog: null, name: "c" } }, { blog: null, name: "c" }],
  [{ response: [] }, []],
  [{ response: "" }, ""],
  [{ response: false }, false],
  [{ response: null }, undefined],
  [{ meta: {} }, undefined],
  [[], undefined],
  ["text", undefined],
  [undefined, undefined],
])("payloadOf finds the payload of %j", (body, payload) => {
  expect(payloadOf(body, wrapped)).toEqual(payload);
});

test("payloadOf returns the body if there is no envelope, or if its path is the root", () => {
  expect(payloadOf([1], undefined)).toEqual([1]);
  expect(payloadOf([1], { payload: [] })).toEqual([1]);
  expect(payloadOf([1], { payload: ["x", ""] })).toEqual([1]);
});

const withStatus = { payload: ["response"], status: "meta.status" };

test.each<[number, JsonValue, number]>([
  [200, { meta: { status: 302 } }, 302],
  [200, { meta: { status: "404" } }, 404],
  [200, { meta: { status: 7 } }, 200],
  [200, { meta: { status: "x" } }, 200],
  [200, { meta: { status: null } }, 200],
  [200, { meta: { status: [404] } }, 200],
  [200, [], 200],
  [404, { meta: { status: 200 } }, 404],
  [201, { meta: { status: 404 } }, 201],
])("the effective status of an HTTP status %i with the body %j is %i", (http, body, status) => {
  expect(statusOf(http, body, withStatus)).toBe(status);
});

test("valueAt reads only own keys, and also reads array items", () => {
  expect(valueAt({}, "constructor.name")).toBeUndefined();
  expect(valueAt([{ a: 1 }], "0.a")).toBe(1);
  expect(valueAt([1], "length")).toBeUndefined();
});

test("valueAt accepts any value and any path", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, path) => {
      valueAt(value as JsonValue, path);
      statusOf(200, value as JsonValue, { payload: [], status: path });
    }),
  );
});
