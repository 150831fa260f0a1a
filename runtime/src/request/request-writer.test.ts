import { Code, ConnectError } from "@connectrpc/connect";
import { wireNumber } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { RequestWriter } from "./request-writer.ts";

const writer = () => new RequestWriter("GET", "/v2/info");

function failure(act: () => unknown): ConnectError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConnectError) return error;
  }
  throw new Error("expected a ConnectError");
}

test("a query contains values of all types in order, except undefined values", () => {
  const request = writer();
  request.query("fields[blogs]", "name,?uuid");
  request.query("limit", 20);
  request.query("before", undefined);
  request.query("id", 700000000000000001n);
  request.query("npf", true);
  request.query("empty", "");
  expect(request.queryString).toBe(
    "fields%5Bblogs%5D=name%2C%3Fuuid&limit=20&id=700000000000000001&npf=true&empty=",
  );
  expect(request.body).toBeUndefined();
});

test.each([
  ["repeat", "tag=a&tag=b%2Cc"],
  ["brackets", "tag%5B%5D=a&tag%5B%5D=b%2Cc"],
  ["indexed", "tag%5B0%5D=a&tag%5B1%5D=b%2Cc"],
] as const)("a list in the style %s is written to the query", (style, expected) => {
  const request = writer();
  request.queryList("tag", ["a", "b,c"], style);
  expect(request.queryString).toBe(expected);
});

test("a list with commas is written to the query, and a value that contains a comma is rejected", () => {
  const request = writer();
  request.queryList("ids", [1, 2n, "x y"], "comma");
  request.queryList("none", [], "comma");
  expect(request.queryString).toBe("ids=1,2,x%20y");
  const error = failure(() => request.queryList("tag", ["a,b"], "comma"));
  expect(error.rawMessage).toBe(
    "tag: a value contains a comma, which is the separator, so it cannot be sent in the query; send values without commas",
  );
  expect(error.code).toBe(Code.InvalidArgument);
  expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("PARAMETER_VALUE_INVALID");
  expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field).toBe("tag");
});

test("a value that contains a comma is rejected in a multipart list with commas", () => {
  const request = writer();
  request.partList("ids", [1, "x y"], "comma");
  expect(request.body).toMatchObject({ parts: [{ name: "ids", content: { text: "1,x y" } }] });
  expect(failure(() => request.partList("tag", ["a,b"], "comma")).rawMessage).toBe(
    "tag: a value contains a comma, which is the separator, so it cannot be sent in the form; send values without commas",
  );
});

test("a map in a query replaces parameters whose decoded names equal its keys", () => {
  const request = writer();
  request.query("a&b", "1");
  request.query("c", "2");
  request.queryMap("page", { "a&b": "3" });
  expect(request.queryString).toBe("c=2&a%26b=3");
});

test("a map is written to the query as separate parameters", () => {
  const request = writer();
  request.queryMap("page", { offset: "20", "a&b": "c=d" });
  expect(request.queryString).toBe("offset=20&a%26b=c%3Dd");
});

test.each([Number.NaN, Infinity, -Infinity])("a query parameter with the value %s is rejected", (value) => {
  expect(failure(() => writer().query("x", value)).rawMessage).toBe(
    `x: is ${value}, so it cannot be sent in the query; send a finite number`,
  );
});

test("lone surrogates in query parameters and map keys are rejected", () => {
  expect(failure(() => writer().query("x", "\ud800")).rawMessage).toBe(
    "x: contains a lone surrogate, so it cannot be sent in the query; send well-formed Unicode",
  );
  expect(failure(() => writer().queryMap("x", { "\udc00": "a" })).code).toBe(Code.InvalidArgument);
});

test("a query round-trips through a URL parser", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const request = writer();
      for (const [name, value] of pairs) request.query(name, value);
      expect([...new URLSearchParams(request.queryString)]).toEqual(pairs);
      expect(new URL(`http://h.test/?${request.queryString}`).search.slice(1)).toBe(request.queryString);
    }),
  );
});

test("a form contains parameters, lists and maps", () => {
  const request = new RequestWriter("POST", "/");
  request.form("type", "text & more");
  request.form("none", undefined);
  request.formList("tag", ["a"], "indexed");
  request.formMap("extra", { x: "y" });
  expect(request.body).toEqual({ kind: "form", text: "type=text%20%26%20more&tag%5B0%5D=a&x=y" });
});

test("a form without parameters, or JSON without a value, has no body", () => {
  const request = new RequestWriter("POST", "/");
  request.form("none", undefined);
  request.json(undefined);
  expect(request.body).toBeUndefined();
});

test("a body may be JSON or bytes", () => {
  const request = new RequestWriter("POST", "/");
  request.json({ id: wireNumber(700000000000000001n), n: wireNumber(5n) });
  expect(request.body).toEqual({ kind: "json", value: { id: 700000000000000001n, n: 5 } });
  request.bytes("image/png", Uint8Array.of(1));
  expect(request.body).toEqual({ kind: "bytes", contentType: "image/png", bytes: Uint8Array.of(1) });
});

test("header names are in lower case, and all cookies are in one header", () => {
  const request = writer();
  request.header("X-Service-Api-Version", "2022-11-28");
  request.cookie("a", "1");
  request.header("if-none-match", 'W/"abc"');
  request.cookie("b", true);
  request.header("none", undefined);
  expect(request.headers).toEqual([
    ["x-service-api-version", "2022-11-28"],
    ["cookie", "a=1; b=true"],
    ["if-none-match", 'W/"abc"'],
  ]);
});

test.each(["a\r\nx: y", "a\n", "\u0000", "\u007f", "☃"])(
  "a header with the value %j is rejected",
  (value) => {
    expect(failure(() => writer().header("x-a", value)).rawMessage).toBe(
      "x-a: contains a line break, a control character, or a character outside Latin-1, so it cannot be sent in the header; send printable text on one line",
    );
  },
);

test.each([" a", "a ", "\ta", "a\t", " ", "\t"])(
  "a header with the value %j, whose leading or trailing spaces would be lost, is rejected",
  (value) => {
    expect(failure(() => writer().header("x-a", value)).rawMessage).toBe(
      "x-a: begins or ends with a space, which headers lose, so it cannot be sent in the header; send it without",
    );
  },
);

test.each(["a; b=c", "a b", 'a"', "é", "a,b"])("a cookie with the value %j is rejected", (value) => {
  expect(failure(() => writer().cookie("c", value)).rawMessage).toBe(
    "c: contains a space, comma, semicolon, quote, backslash, or a non-ASCII character, so it cannot be sent in the cookie; send only characters that are allowed in cookies",
  );
});

test("OAuth 1.0a parameters are sent unchanged, or rejected if they cannot be encoded", () => {
  const request = writer();
  request.oauth1Param("oauth_callback", "https://a.test/?b=c d");
  request.oauth1Param("oauth_verifier", undefined);
  expect(request.oauth1Params).toEqual([["oauth_callback", "https://a.test/?b=c d"]]);
  expect(failure(() => request.oauth1Param("oauth_token", "\ud800")).rawMessage).toBe(
    "oauth_token: contains a lone surrogate, so it cannot be sent in the Authorization header; send well-formed Unicode",
  );
});
