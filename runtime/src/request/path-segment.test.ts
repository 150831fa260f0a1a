import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { type PathValue, pathSegment, pathSegments } from "./path-segment.ts";

function failure(act: () => unknown): ConnectError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConnectError) return error;
  }
  throw new Error("expected a ConnectError");
}

test.each<[PathValue, string]>([
  ["demo.example.com", "demo.example.com"],
  ["t:abc", "t%3Aabc"],
  ["a/b", "a%2Fb"],
  ["a\\b", "a%5Cb"],
  ["a b+c", "a%20b%2Bc"],
  ["é😀", "%C3%A9%F0%9F%98%80"],
  ["!*'()", "%21%2A%27%28%29"],
  ["a?b#c;d", "a%3Fb%23c%3Bd"],
  ["%2e%2e", "%252e%252e"],
  ["...", "..."],
  [42, "42"],
  [700000000000000001n, "700000000000000001"],
  [true, "true"],
])("pathSegment writes %s as %s", (value, encoded) => {
  expect(pathSegment(value, "field")).toBe(encoded);
});

test.each<[PathValue, string]>([
  ["", "blog: is empty, so it cannot be part of a URL path; send a value that is not empty"],
  [".", 'blog: is the dot segment ".", so it cannot be part of a URL path; send another value'],
  ["..", 'blog: is the dot segment "..", so it cannot be part of a URL path; send another value'],
  [
    "a\nb",
    "blog: contains a control character, so it cannot be part of a URL path; send the value without it",
  ],
  [
    "\u0000",
    "blog: contains a control character, so it cannot be part of a URL path; send the value without it",
  ],
  ["\ud800", "blog: contains a lone surrogate, so it cannot be part of a URL path; send well-formed Unicode"],
  [Number.NaN, "blog: is not a finite number, so it cannot be part of a URL path; send a finite number"],
  [-Infinity, "blog: is not a finite number, so it cannot be part of a URL path; send a finite number"],
])("pathSegment rejects %j", (value, text) => {
  const error = failure(() => pathSegment(value, "blog"));
  expect(error.rawMessage).toBe(text);
  expect(error.code).toBe(Code.InvalidArgument);
  expect(error.findDetails(ErrorInfoSchema)[0]).toMatchObject({
    reason: "PATH_VALUE_INVALID",
    domain: "connect-rest",
  });
  expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field).toBe("blog");
});

test("pathSegment returns exactly one segment, which decodes to the value", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      let segment: string;
      try {
        segment = pathSegment(value, "field");
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectError);
        return;
      }
      const path = `/v2/blog/${segment}/posts`;
      const { pathname, search, hash } = new URL(`http://host.test${path}`);
      expect(pathname).toBe(path);
      expect(search + hash).toBe("");
      expect(pathname.split("/").map(decodeURIComponent)).toEqual(["", "v2", "blog", value, "posts"]);
    }),
  );
});

test("pathSegments does not escape the slashes between segments", () => {
  expect(pathSegments("a b/c:d", "field")).toBe("a%20b/c%3Ad");
});

test.each(["/a", "a/", "a//b", "a/../b", "..", "a/./b", ""])("pathSegments rejects %j", (value) => {
  expect(failure(() => pathSegments(value, "field")).code).toBe(Code.InvalidArgument);
});

test("the result of pathSegments never leads to another path", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      let segments: string;
      try {
        segments = pathSegments(value, "field");
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectError);
        return;
      }
      const { pathname } = new URL(`http://host.test/v2/${segments}/end`);
      expect(pathname.split("/").map(decodeURIComponent)).toEqual(["", "v2", ...value.split("/"), "end"]);
    }),
  );
});

const hostile = fc.constantFrom(
  ".",
  "..",
  "/",
  "\\",
  "%2e",
  "%2E",
  "%",
  "?",
  "#",
  "\t",
  "\n",
  ":",
  "@",
  "é",
  ";",
);
const anyValue = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.array(hostile, { maxLength: 5 }).map((parts) => parts.join("")),
);
