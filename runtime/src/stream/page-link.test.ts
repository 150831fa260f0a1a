import fc from "fast-check";
import { expect, test } from "vitest";
import type { RestRequest } from "../adapter/rest-request.ts";
import { LinkRejected } from "../response/href.ts";
import { parseBase, pathBelow } from "../upstream/base.ts";
import { followLink } from "./page-link.ts";

const current: RestRequest = {
  verb: "GET",
  path: "/v2/items",
  queryString: "a=b",
  headers: [["accept", "x"]],
  oauth1Params: [],
  body: undefined,
};
const prefixed = parseBase("x", "baseUrl", "http://h.test:81/api");
const bare = parseBase("x", "baseUrl", "https://h.test");

function follow(href: string, base = prefixed): RestRequest | undefined {
  try {
    return followLink(href, current, base, { query: "key" });
  } catch (error) {
    if (error instanceof LinkRejected) return undefined;
    throw error;
  }
}

test("the request for a linked page has the headers of the original request, and the unchanged query of the link", () => {
  expect(follow("/api/x?c=%2B+%C3%A9&&d&key=1&k%65y=2&e=[]")).toEqual({
    ...current,
    path: "/x",
    queryString: "c=%2B+%C3%A9&&d&e=[]",
  });
});

test("a link to the next page that begins with two slashes is rejected, since the path would be read as a host", () => {
  expect(follow("https://h.test//evil.test/x", bare)).toBeUndefined();
  expect(follow("/v3//x", bare)?.path).toBe("/v3//x");
});

test("a link to the next page never leads outside of the base address", () => {
  const pieces = fc.constantFrom(
    ...[
      "/",
      "//",
      "..",
      ".",
      "%2e",
      "\\",
      "@",
      ":",
      "?",
      "#",
      "h.test",
      "h.test:81",
      "evil.test",
      "http:",
      "https:",
    ],
    ...["api", "apix", "\t", "\n", " ", "é", "%", "[", "key=1", "&", "user:pw@"],
  );
  const links = fc.oneof(
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(links, fc.constantFrom(prefixed, bare), (href, base) => {
      const request = follow(href, base);
      if (request === undefined) return;
      // throws if a URL parser would read the path as another path or host
      const path = pathBelow("x", base, request.path);
      const url = new URL(`${base.origin}${path}?${request.queryString}`);
      expect(url.origin).toBe(base.origin);
      expect(`${url.pathname}/`.startsWith(`${base.prefix}/`)).toBe(true);
      expect(url.searchParams.has("key")).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
