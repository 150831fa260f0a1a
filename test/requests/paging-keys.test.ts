/**
 * Tests maps with caller-defined keys in the requests of streams, for all ways to request the next page: a
 * key cannot be the parameter that the runtime sets for each page.
 */
import { create, type MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { PaginateAdapter } from "connect-rest-runtime/adapter";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HEAD } from "../generator-kit/compile.ts";
import { loadAdapters } from "./load-adapters.ts";

/** A way to request the next page, and the parameter that the runtime sets for it. */
interface PageStyle {
  readonly rule: string;
  readonly parameter?: string;
}

const PAGES: Readonly<Record<string, PageStyle>> = {
  link: { rule: 'paginate: {items: "items" link: "next"}' },
  link_header: { rule: 'paginate: {items: "items" link_header: "next"}' },
  offset: { rule: 'paginate: {items: "items" offset: "start"}', parameter: "first" },
  page: { rule: 'paginate: {items: "items" page: "start"}', parameter: "first" },
  cursor: { rule: 'paginate: {items: "items" cursor: {path: "next" field: "token"}}', parameter: "token" },
  nested_cursor: {
    rule: 'paginate: {items: "items" cursor: {path: "next" field: "inner.token"}}',
    parameter: "inner.after",
  },
  cursor_in_header: {
    rule: 'paginate: {items: "items" cursor: {header: "X-Next" field: "token"}}',
    parameter: "token",
  },
  cursor_to_header: { rule: 'paginate: {items: "items" cursor: {path: "next" field: "marker"}}' },
  last_item: {
    rule: 'paginate: {items: "items" last_item: {path: "id" field: "token"}}',
    parameter: "token",
  },
  overlap: {
    rule: 'paginate: {items: "items" last_item: {path: "at" field: "start" overlap: {key: "id"}}}',
    parameter: "first",
  },
  feed_link: {
    rule: 'poll: {items: "items" key: "id" batch: {items: "items" resume_token: "token"} pages: {link_header: "next" max: 3}}',
  },
  feed_page: {
    rule: 'poll: {items: "items" key: "id" batch: {items: "items" resume_token: "token"} pages: {page: "page" max: 3}}',
    parameter: "page",
  },
};

const PLACES: Readonly<Record<string, readonly [http: string, rule: string]>> = {
  Query: ['get: "/a"', ""],
  Form: ['post: "/a" body: "*"', "request_encoding: FORM"],
  Parts: ['post: "/a" body: "*"', "request_encoding: MULTIPART"],
};

const CASES = Object.entries(PAGES).flatMap(([style, { rule, parameter }]) =>
  Object.keys(PLACES)
    // A feed adds the number of the page to the query.
    .filter((place) => place === "Query" || !style.startsWith("feed"))
    .map((place) => ({ name: `${place}_${style}`, place, rule, parameter })),
);

const METHODS = CASES.map(({ name, place, rule }) => {
  const item = rule.startsWith("poll") ? "Batch" : "Item";
  const [http = "", encoding = ""] = PLACES[place] ?? [];
  return `rpc ${name}(Req) returns (stream ${item}) { option (google.api.http) = {${http}}; option (connectrest.v1.method) = {${rule} ${encoding}}; }`;
});

const { adapters } = await loadAdapters({
  "a.proto": `${HEAD}
service S {
${METHODS.join("\n")}
}
message Req {
  map<string, string> m = 1 [(connectrest.v1.field).style = SPREAD];
  int32 start = 2 [(connectrest.v1.field).name = "first"];
  string token = 3;
  Inner inner = 4;
  string marker = 5 [(connectrest.v1.field) = {in: HEADER, name: "X-Marker"}];
}
message Inner { string token = 1 [(connectrest.v1.field).name = "after"]; }
message Item { string id = 1; int32 at = 2; }
message Batch { repeated Item items = 1; string token = 2; }
`,
});
const methods = Object.values(adapters.get("S")?.methods ?? {});

const KEYS = fc.constantFrom("first", "token", "inner.after", "page", "start", "X-Marker", "other");

test.each(CASES)("a map entry cannot select the page of a stream: $name", ({ name, parameter }) => {
  const adapter = methods.find(({ method }) => method.name === name) as PaginateAdapter;
  fc.assert(
    fc.property(fc.dictionary(KEYS, fc.constantFrom("7", "x")), (m) => {
      const message = create(adapter.method.input, { m } as never) as MessageShape<
        typeof adapter.method.input
      >;
      if (parameter === undefined || !Object.hasOwn(m, parameter)) {
        expect(() => adapter.request(message)).not.toThrow();
        return;
      }
      const error = thrown(() => adapter.request(message));
      expect([error.code, error.rawMessage]).toEqual([
        Code.InvalidArgument,
        expect.stringContaining(`m.${parameter}`),
      ]);
    }),
  );
});

function thrown(call: () => unknown): ConnectError {
  try {
    call();
  } catch (error) {
    return ConnectError.from(error);
  }
  throw new Error("no error was thrown");
}
