/**
 * Tests the notation of paths: reports and errors write a declared path such as `meta.'a.b'` as every other
 * path of a report, `meta["a.b"]`, whichever rule declares the path.
 */
import { createClient } from "@connectrpc/connect";
import { type JsonValue, joinedPath, reportedSteps, stepText } from "connect-rest-codec/internal";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NextPage } from "../adapter/adapter.ts";
import { createRest } from "../rest.ts";
import { httpUpstream, sendJson, type TestServer } from "../testing/servers.ts";
import { listAdapter, StreamService, streamService } from "../testing/stream-service.ts";

type Input = typeof StreamService.method.list.input;
type Parts = Parameters<typeof listAdapter>;

const END: NextPage<Input> = { kind: "link", path: "none" };

/** The rules that declare a path of a page: the next page, rules of the method, parts of the adapter. */
const RULES: Readonly<Record<string, (path: string) => Parts>> = {
  items: (path) => [END, {}, { items: [path] }],
  link: (path) => [{ kind: "link", path, always: true }],
  link_query: (path) => [{ kind: "link", path: "link", query: path }],
  total: (path) => [
    { kind: "step", by: "items", total: path, advance: same, before: ({ offset }) => offset },
  ],
  more: (path) => [END, {}, { more: { key: path, values: ["true"] } }],
  cursor: (path) => [
    { kind: "cursor", from: "payload", paths: [path, "other"], always: true, advance: same },
  ],
  last_item: (path) => [{ kind: "cursor", from: "last_item", paths: [path], always: true, advance: same }],
  payload: (path) => [END, { envelope: { payload: [path] } }],
  status: (path) => [END, { envelope: { payload: [""], status: path } }],
  errors: (path) => [END, { envelope: { payload: [""], errors: path } }],
};

function same<T>(message: T): T {
  return message;
}

const keys = fc.array(fc.constantFrom("plain", "a.b", "x y", "c"), { minLength: 1, maxLength: 3 });
const values = fc.constantFrom<JsonValue>(
  ...[42, 200, "x", "", true, false, null, {}, [], [1, 2], { a: 1 }, [{ a: 1 }, { b: 2 }], { href: 7 }],
);

let server: TestServer;
let body: JsonValue = {};
beforeAll(async () => {
  server = await httpUpstream((_request, response) => sendJson(response, body));
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the paths of all differences, and the error, of a list whose pages are all the same. */
async function pathsOf(parts: Parts): Promise<{ readonly paths: readonly string[]; readonly error: string }> {
  const paths: string[] = [];
  const rest = createRest({
    adapters: [streamService("list", listAdapter(...parts))],
    upstreams: { things: { baseUrl: server.url } },
    onDifference: ({ differences }) => paths.push(...differences.map(({ path }) => path)),
  });
  let error = "";
  try {
    for await (const _ of createClient(StreamService, rest.transport).list({}));
  } catch (thrown) {
    error = String(thrown);
  }
  await rest.close();
  return { paths, error };
}

test.each(Object.entries(RULES))("property: reports write paths in one notation: %s", async (rule, parts) => {
  await fc.assert(
    fc.asyncProperty(keys, values, fc.boolean(), async (steps, value, isCut) => {
      const used = isCut ? steps.slice(0, -1) : steps;
      const held = used.reduceRight<JsonValue>((below, key) => ({ [key]: below }), value);
      const own = typeof held === "object" && held !== null && !Array.isArray(held) ? held : {};
      const page = { link: "/v2/items?page=2", posts: [{ name: "a", ...(rule === "last_item" ? own : {}) }] };
      body = rule === "last_item" ? page : { ...page, ...own };
      const declared = steps.map((key) => (/[ .]/.test(key) ? `'${key}'` : key)).join(".");
      const { paths, error } = await pathsOf(parts(declared));
      for (const path of paths.filter((each) => each !== "(root)")) expect(path).toBe(rewritten(path));
      expect(error).not.toContain("'");
    }),
    { numRuns: 40 },
  );
});

/** Returns a path, written again from its steps. */
function rewritten(path: string): string {
  const parts = path.split(" or ").map((part) =>
    reportedSteps(part)
      .map(({ key }) => (typeof key === "number" ? `[${key}]` : stepText(key)))
      .reduce(joinedPath, ""),
  );
  return parts.join(" or ");
}
