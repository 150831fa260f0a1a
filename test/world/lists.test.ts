import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { ListService } from "../gen/world/v1/lists_pb.ts";
import { ListServiceRest } from "../gen/world/v1/lists_rest.ts";
import { type Answers, start } from "../rules/world.ts";

const lists = (answers: Answers) => start(ListService, ListServiceRest, answers);

const ids = (...all: number[]) => all.map((id) => ({ id }));

async function idsOf(items: AsyncIterable<{ readonly id: bigint }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { id } of items) found.push(Number(id));
  return found;
}

test("total: no page is requested after the last item, for any start position", async () => {
  const { client, seen } = await lists([
    { json: { startAt: 5, total: 8, issues: ids(5, 6) } },
    { json: { startAt: 7, total: "8", issues: ids(7) } },
  ]);
  expect(await idsOf(client.byTotal({ startAt: 5 }))).toEqual([5, 6, 7]);
  expect(seen.map(({ line }) => line)).toEqual(["GET /total?startAt=5", "GET /total?startAt=7"]);
});

test("total: if the total is missing, a page without items ends the list", async () => {
  const { client, seen } = await lists([{ json: { issues: ids(1) } }, { json: { issues: [] } }]);
  expect(await idsOf(client.byTotal({}))).toEqual([1]);
  expect(seen).toHaveLength(2);
});

test("headers: the constant header of the service is in the request for every page", async () => {
  const { client, seen } = await lists([{ json: { issues: ids(1) } }, { json: { issues: [] } }]);
  await idsOf(client.byTotal({}));
  expect(seen).toHaveLength(2);
  for (const { headers } of seen) expect(headers).toContain("lists-version: 2026-01-01");
});

test("first: item indexes may start at 1", async () => {
  const { client, seen } = await lists([
    { json: { totalResults: 3, Resources: ids(1, 2) } },
    { json: { totalResults: 3, Resources: ids(3) } },
  ]);
  expect(await idsOf(client.byIndex({}))).toEqual([1, 2, 3]);
  expect(seen.map(({ line }) => line)).toEqual(["GET /index", "GET /index?startIndex=3"]);
});

test("first: page numbers may start at 0, and the number of pages ends the list", async () => {
  const { client, seen } = await lists([
    { json: { totalPages: 3, content: ids(1) } },
    { json: { totalPages: 3, content: ids(2) } },
    { json: { totalPages: 3, content: ids(3) } },
  ]);
  expect(await idsOf(client.byPageFromZero({}))).toEqual([1, 2, 3]);
  expect(seen.map(({ line }) => line)).toEqual(["GET /page", "GET /page?page=1", "GET /page?page=2"]);
});

test("more: the flag ends the list, with an offset or a last-item cursor", async () => {
  const flag = await lists([
    { json: { more: true, incidents: ids(1, 2) } },
    { json: { more: false, incidents: ids(3) } },
  ]);
  expect(await idsOf(flag.client.byFlag({}))).toEqual([1, 2, 3]);
  expect(flag.seen.map(({ line }) => line)).toEqual(["GET /flag", "GET /flag?offset=2"]);
  const last = await lists([
    { json: { has_more: true, data: ids(9007199254740992, 7) } },
    { json: { has_more: false, data: ids(3) } },
  ]);
  expect(await idsOf(last.client.byLastId({}))).toEqual([9007199254740992, 7, 3]);
  expect(last.seen.map(({ line }) => line)).toEqual(["GET /last-id", "GET /last-id?starting_after=7"]);
});

test("more: an empty page is an error if the next page depends on its items", async () => {
  const { client, seen } = await lists({ json: { more: true, incidents: [] } });
  await expect(idsOf(client.byFlag({}))).rejects.toThrow(
    "incidents: expected items since `more` says that there is more, got none",
  );
  expect(seen).toHaveLength(1);
});

test("last_item: the last item's name is the cursor, and items are read from nested objects", async () => {
  const child = (name: string) => ({ kind: "t3", data: { name, title: `About ${name}` } });
  const { client, seen, differences } = await lists([
    { json: { data: { children: [child("t3_a"), child("t3_b")] } } },
    { json: { data: { children: [] } } },
  ]);
  const found: unknown[] = [];
  for await (const { name, title, kind } of client.byLastName({})) found.push([name, title, kind]);
  expect(found).toEqual([
    ["t3_a", "About t3_a", "t3"],
    ["t3_b", "About t3_b", "t3"],
  ]);
  expect(seen.map(({ line }) => line)).toEqual(["GET /last-name", "GET /last-name?after=t3_b"]);
  expect(differences).toEqual([]);
});

test("a cursor inside a body object leaves the object's other fields unchanged, and an empty page does not end the list", async () => {
  const { client, seen } = await lists([
    { json: { results: ids(1), paging: { next: "n1" } } },
    { json: { results: [], paging: { next: "n2" } } },
    { json: { results: ids(2), paging: { next: null } } },
  ]);
  expect(await idsOf(client.byBodyCursor({ query: "q", paging: { limit: 1, fields: ["a"] } }))).toEqual([
    1, 2,
  ]);
  expect(seen.map(({ text }) => text)).toEqual([
    '{"query":"q","paging":{"limit":1,"fields":["a"]}}',
    '{"query":"q","paging":{"limit":1,"after":"n1","fields":["a"]}}',
    '{"query":"q","paging":{"limit":1,"after":"n2","fields":["a"]}}',
  ]);
  const bare = await lists([
    { json: { results: ids(1), paging: { next: "n1" } } },
    { json: { results: [], paging: {} } },
  ]);
  expect(await idsOf(bare.client.byBodyCursor({}))).toEqual([1]);
  expect(bare.seen.map(({ text }) => text)).toEqual(["{}", '{"paging":{"after":"n1"}}']);
});

test("a repeated cursor is an error, even if the pages are empty", async () => {
  const { client } = await lists({ json: { results: [], paging: { next: "n1" } } });
  expect(reasonOf(await failureOf(idsOf(client.byBodyCursor({}))))).toBe("PAGE_REPEATED");
});

test("cursor_always: null ends the list, a page without the cursor's key fails the call, and other known keys are accepted", async () => {
  const page = (id: number, next: object) => ({
    json: { results: ids(id), count: 2, previous: null, ...next },
  });
  const { client, seen, differences } = await lists([page(1, { next: "n1" }), page(2, { next: null })]);
  expect(await idsOf(client.byCertainCursor({}))).toEqual([1, 2]);
  expect(seen).toHaveLength(2);
  expect(differences).toEqual([]);
  const renamed = await lists([page(1, { next: "n1" }), page(2, { next_page: "n2" })]);
  await expect(idsOf(renamed.client.byCertainCursor({}))).rejects.toThrow(
    "next: expected a key that every page has, got nothing",
  );
  expect(renamed.differences.map((each) => `${each.class} ${each.path}`)).toEqual(["additional next_page"]);
});

test("a time that several items share is requested again, and skipped if its items fill a page", async () => {
  const page = (...items: ReadonlyArray<readonly [number, number]>) => ({
    json: { tickets: items.map(([id, updated]) => ({ id, updated })) },
  });
  const pages = [page([1, 5], [2, 6]), page([2, 6], [3, 6]), page([4, 8]), page([4, 8]), page()];
  const { client, seen, differences } = await start(ListService, ListServiceRest, pages, { strict: false });
  expect(await idsOf(client.byTime({}))).toEqual([1, 2, 3, 4]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /time",
    "GET /time?since=6",
    "GET /time?since=7",
    "GET /time?since=8",
    "GET /time?since=9",
  ]);
  expect(differences.filter((each) => each.class === "lost").map(({ path }) => path)).toEqual(["tickets"]);
});

test("a cursor can be in a header", async () => {
  const { client, seen } = await lists([
    { json: { value: ids(1) }, headers: { "x-continuation-token": "a+b" } },
    { json: { value: ids(2) } },
  ]);
  expect(await idsOf(client.byHeaderCursor({}))).toEqual([1, 2]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /header-cursor",
    "GET /header-cursor?continuationToken=a%2Bb",
  ]);
});

test("links can be relative, in HAL format, or in the Link header", async () => {
  const relative = await lists([
    { json: { calls: ids(1), next_page_uri: "/accounts/a/calls?Page=1" } },
    { json: { calls: ids(2), next_page_uri: null } },
  ]);
  expect(await idsOf(relative.client.byRelativeLink({ account: "a" }))).toEqual([1, 2]);
  expect(relative.seen.map(({ line }) => line)).toEqual([
    "GET /accounts/a/calls",
    "GET /accounts/a/calls?Page=1",
  ]);
  const hal = await lists([
    { json: { _embedded: { tickets: ids(1) }, _links: { next: { href: "/hal/a?page=2" } } } },
    { json: { _embedded: { tickets: ids(2) }, _links: {} } },
  ]);
  expect(await idsOf(hal.client.byHalLink({ account: "a" }))).toEqual([1, 2]);
  const header = await lists([
    { json: ids(1), headers: { link: '</projects/g%2Fp/tickets?cursor=x>; rel="next"' } },
    { json: ids(2) },
  ]);
  expect(await idsOf(header.client.byLinkHeader({ project: "g/p", pagination: "keyset" }))).toEqual([1, 2]);
  expect(header.seen.map(({ line }) => line)).toEqual([
    "GET /projects/g%2Fp/tickets?pagination=keyset",
    "GET /projects/g%2Fp/tickets?cursor=x",
  ]);
});
