/** Checks known keys against everything that reads a key of a page or a body. */
import { expect, test } from "vitest";
import { errorsOf } from "./errors-of.ts";

/** The rules of a method with a reader of a path, which is `$`, and known keys, which are `#`. */
const READERS: Readonly<Record<string, string>> = {
  "items of pages": 'paginate: {items: "$" link_header: "next" known: "#"}',
  "second items": 'paginate: {items: ["list", "$"] link_header: "next" known: "#"}',
  link: 'paginate: {items: "list" link: "$" known: "#"}',
  link_query: 'paginate: {items: "list" link: "other" link_query: "$" known: "#"}',
  cursor: 'paginate: {items: "list" cursor: {path: "$" field: "token"} known: "#"}',
  "second cursor": 'paginate: {items: "list" cursor: {path: ["other", "$"] field: "token"} known: "#"}',
  total: 'paginate: {items: "list" offset: "offset" total: "$" known: "#"}',
  more: 'paginate: {items: "list" offset: "offset" more: {key: "$" present: true} known: "#"}',
  "items of a feed": 'poll: {items: "$" key: "id" known: "#"}',
  payload: 'envelope: {payload: "$" known: "#"}',
  "second payload": 'envelope: {payload: ["data", "$"] known: "#"}',
  status: 'envelope: {payload: "data" status: "$" known: "#"}',
  message: 'envelope: {payload: "data" message: "$" known: "#"}',
  "a field": 'envelope: {payload: "." known: "#"}',
  "a cursor beside the payload":
    'envelope: {payload: "." known: "#"} paginate: {items: "list" cursor: {path: "$" field: "token"}}',
};

/** A path that is read, a known key, and whether the known key is reported. */
const KEYS: ReadonlyArray<readonly [read: string, known: string, isReported: boolean]> = [
  ["next", "next", true],
  ["next", "count", false],
  ["next", "nextPage", false],
  ["meta.next", "meta.next", true],
  ["meta.next", "meta", true],
  ["meta.next", "meta.count", false],
  ["meta.next", "next", false],
  ["meta.page.next", "meta", true],
  ["meta.page.next", "meta.page", true],
  ["meta.page.next", "meta.other", false],
  ["'odata.next'", "'odata.next'", true],
  ["'odata.next'", "odata", false],
];

const CASES = Object.entries(READERS).flatMap(([reader, rule]) =>
  KEYS.map(([read, known, isReported]) => ({
    name: `${reader}: ${read}, ${known}`,
    rule,
    read,
    known,
    isReported,
  })),
);

function sourceOf({ rule, read, known }: (typeof CASES)[number]): string {
  const rules = rule.replace("$", read).replace("#", known);
  const stream = /paginate|poll/.test(rule) ? "stream " : "";
  return `service S {
  rpc Get(Req) returns (${stream}Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method) = {${rules}};
  }
}
message Req { string token = 1; int32 offset = 2; }
message Res { string id = 1; string value = 2 [(connectrest.v1.field).from = {path: "${read}"}]; }`;
}

const errors = errorsOf(CASES.map(sourceOf));

test.each(CASES)("a known key that something reads is reported: $name", (each) => {
  expect(errors[CASES.indexOf(each)]).toEqual(
    each.isReported ? [expect.stringContaining(": known-read: ")] : [],
  );
});
