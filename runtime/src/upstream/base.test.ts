import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { failureOf } from "../testing/failure.ts";
import { parseBase, pathBelow } from "./base.ts";

const base = parseBase("x", "baseUrl", "https://api.example.test/v2");

test("a path below a base address is exactly the path that a URL parser reads, or is rejected", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "/",
      "//",
      ".",
      "..",
      "%2e",
      "~",
      "-",
      "_",
      "a",
      "Z",
      "9",
      "%41",
      "\\",
      "?",
      "#",
      ":",
      "@",
      ";",
      "\n",
    ),
    fc.string({ unit: "grapheme", maxLength: 3 }),
  );
  const paths = fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join("")}`);
  fc.assert(
    fc.property(paths, fc.constantFrom("", "/v2", "/~user"), (path, prefix) => {
      const built = prefix + path;
      const parsed = URL.parse(built, base.origin);
      const isKept = parsed?.pathname === built && parsed.origin === base.origin;
      let result: string | undefined;
      try {
        result = pathBelow("x", { ...base, prefix }, path);
      } catch (error) {
        expect(error instanceof ConnectError && reasonOf(error)).toBe("REQUEST_PATH_CHANGED");
      }
      expect(result).toBe(isKept ? built : undefined);
    }),
    { numRuns: 2000 },
  );
});

test.each(["/blog/a/info", "/blog/t%3Aabc", "/a%2Fb", "/%252e%252e/x", "/", ""])(
  "the path %j below a base address is not changed",
  (path) => {
    expect(pathBelow("x", base, path)).toBe(`/v2${path}`);
  },
);

test.each([
  "/../admin",
  "/a/./b",
  "/%2e%2e/admin",
  "/a?b=c",
  "/a#b",
  "/a\\b",
  "/a b",
  "/a\tb",
  "/é",
  "/.%2E",
])("the path %j below a base address is rejected", async (path) => {
  const error = await failureOf(() => pathBelow("x", base, path));
  expect(reasonOf(error)).toBe("REQUEST_PATH_CHANGED");
});

test("the error for a path states how URL parsers would rewrite it", async () => {
  const error = await failureOf(() => pathBelow("x", base, "/../admin"));
  expect(error.rawMessage).toBe('upstream x: URL parsers rewrite the path "/v2/../admin" to "/admin"');
});

test("no path below a base address leads to another host or path", () => {
  const root = parseBase("x", "baseUrl", "http://h.test");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom(base, root), (path, at) => {
      let built: string;
      try {
        built = pathBelow("x", at, path);
      } catch {
        return;
      }
      const parsed = new URL(at.origin + built);
      expect([parsed.origin, parsed.pathname]).toEqual([at.origin, at.prefix + path]);
    }),
  );
});

test("a path that a URL parser would read as another host is rejected", async () => {
  const root = parseBase("x", "baseUrl", "http://h.test");
  expect(reasonOf(await failureOf(() => pathBelow("x", root, "//evil.test/a")))).toBe("REQUEST_PATH_CHANGED");
});
