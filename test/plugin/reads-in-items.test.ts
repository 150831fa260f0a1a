/** Checks the paths that rules of pages read against the paths of the items. */
import { expect, test } from "vitest";
import { errorsOf } from "./errors-of.ts";

/** The rules of a method: `#` stands for the paths of its items, and `$` for a path that is read. */
const READERS: Readonly<Record<string, string>> = {
  link: "items: [#] link: $",
  link_query: 'items: [#] link: "other" link_query: $',
  cursor: 'items: [#] cursor: {path: $ field: "token"}',
  "second cursor": 'items: [#] cursor: {path: ["other", $] field: "token"}',
  total: 'items: [#] offset: "offset" total: $',
  more: 'items: [#] offset: "offset" more: {key: $ present: true}',
};

/** A path from each item. */
const IN_ITEM = 'items: [#] last_item: {path: $ field: "token"}';

/** The paths of the items, a path that is read, and whether every path of the items contains it. */
const PLACES: ReadonlyArray<readonly [items: readonly string[], read: string, isInItems: boolean]> = [
  [["list"], "list", true],
  [["list"], "list.next", true],
  [["list"], "list.0.next", true],
  [["list"], "'list'.next", true],
  [["list"], "next", false],
  [["list"], "listed", false],
  [["list"], "'list.next'", false],
  [["list"], "page.list", false],
  [["page.list"], "page.list", true],
  [["page.list"], "page.list.meta.next", true],
  [["page.list"], "page.next", false],
  [["page.list"], "page", false],
  [["page.list"], "list.next", false],
  [["'odata.value'"], "'odata.value'.next", true],
  [["'odata.value'"], "odata.value", false],
  [["."], "next", true],
  [["0"], "0.next", true],
  [["0"], "1.next", false],
  [["list", "page.list"], "list.next", false],
  [["list", "list.rows"], "list.next", false],
  [["list", "list.rows"], "list.rows.next", true],
  [[".", "list"], "next", false],
  [[".", "list"], "list.next", true],
];

const CASES = [...Object.entries(READERS), ["last_item", IN_ITEM] as const].flatMap(([reader, rule]) =>
  PLACES.map(([items, read, isInItems]) => ({
    name: `${reader}: ${items.join(", ")}: ${read}`,
    rule: rule
      .replace("#", items.map((each) => JSON.stringify(each)).join())
      .replace("$", JSON.stringify(read)),
    isReported: isInItems && reader !== "last_item",
  })),
);

function sourceOf({ rule }: (typeof CASES)[number]): string {
  return `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).paginate = {${rule}};
  }
}
message Req { string token = 1; int32 offset = 2; }
message Res { string id = 1; }`;
}

const errors = errorsOf(CASES.map(sourceOf));

test.each(CASES)("a rule of pages that reads a place in the items is reported: $name", (each) => {
  // items at the root contain the other path too; another check reports items inside a scalar
  const own = errors[CASES.indexOf(each)]?.filter((line) => !/`other`|: read-twice: /.test(line));
  expect(own).toEqual(each.isReported ? [expect.stringContaining(": paginate-in-items: ")] : []);
});
