import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { ArchiveService } from "../gen/world/v1/archive_pb.ts";
import { ArchiveServiceRest } from "../gen/world/v1/archive_rest.ts";
import { CrmService } from "../gen/world/v1/crm_pb.ts";
import { CrmServiceRest } from "../gen/world/v1/crm_rest.ts";
import { type Answers, start } from "../rules/world.ts";

const archive = (answers: Answers) => start(ArchiveService, ArchiveServiceRest, answers);

const article = (id: string, title: string) => ({
  type: "articles",
  id,
  attributes: { title },
  relationships: { author: { data: { type: "people", id: "9" } } },
});

test("fields are read from nested objects of a resource", async () => {
  const { client, seen } = await archive({
    json: { data: article("1", "Walden") },
    headers: { "content-type": "application/vnd.api+json" },
  });
  const found = await client.getArticle({ id: "1", include: ["author", "notes"] });
  expect(found).toMatchObject({ id: "1", title: "Walden", author: { id: "9" } });
  expect(seen[0]?.line).toBe("GET /articles/1?include=author,notes");
  expect(seen[0]?.allHeaders).toContain("accept: application/vnd.api+json");
});

test("only a request with a body has the constant Content-Type", async () => {
  const { client, seen } = await archive({ json: { data: article("1", "Walden") } });
  await client.createArticle({ data: { type: "articles", attributes: { title: "Walden" } } });
  await client.getArticle({ id: "1" });
  expect(seen[0]?.text).toBe('{"data":{"type":"articles","attributes":{"title":"Walden"}}}');
  expect(seen.map(({ headers }) => headers)).toEqual([["content-type: application/vnd.api+json"], []]);
});

test("items of a list are read from nested objects, and the next link is followed", async () => {
  const world: { origin?: string } = {};
  const { client, seen, origin } = await archive((_seen, index) => ({
    json:
      index === 0
        ? { data: [article("1", "Walden")], links: { next: `${world.origin}/articles?page%5Bnumber%5D=2` } }
        : { data: [article("2", "Emma")], links: { next: null } },
  }));
  world.origin = origin;
  const titles: string[] = [];
  for await (const { title } of client.listArticles({ author: "9", pageSize: 1 })) titles.push(title);
  expect(titles).toEqual(["Walden", "Emma"]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /articles?filter%5Bauthor%5D=9&page%5Bsize%5D=1",
    "GET /articles?page%5Bnumber%5D=2",
  ]);
});

test("the items of an error response become the error's text", async () => {
  const { client } = await archive({
    status: 422,
    json: { errors: [{ status: "422", code: "7", title: "Invalid", detail: "title is blank" }] },
  });
  const error = await failureOf(client.createArticle({}));
  expect(error.code).toBe(Code.InvalidArgument);
  expect(error.rawMessage).toContain("Invalid: title is blank");
});

test("a path variable between other characters stays in its segment", async () => {
  const { client, seen } = await start(CrmService, CrmServiceRest, { json: { "@odata.etag": "1" } });
  await client.getParty({ key: "a/b') ?" });
  expect(seen[0]?.line).toBe("GET /odata/Parties('a%2Fb%27%29%20%3F')");
  for (const key of ["", ".", ".."]) {
    expect((await failureOf(client.getParty({ key }))).code).toBe(Code.InvalidArgument);
  }
  expect(seen).toHaveLength(1);
});

test("keys with dots are supported in links, fields, discriminators and paths", async () => {
  const world: { origin?: string } = {};
  const { client, seen, differences, origin } = await start(CrmService, CrmServiceRest, (_seen, index) => ({
    json:
      index === 0
        ? {
            value: [
              { "@odata.type": "#Crm.Person", "@odata.etag": 'W/"1"', FullName: "Ada" },
              { "@odata.type": "#Crm.Company", LegalName: "Acme", "Address.Main": { City: "Bonn" } },
            ],
            "@odata.nextLink": `${world.origin}/odata/Parties?$skiptoken=2`,
          }
        : { value: [] },
  }));
  world.origin = origin;
  const found: unknown[] = [];
  for await (const { etag, city, kind } of client.listParties({
    filter: "name eq 'x'",
    select: ["a", "b"],
  })) {
    found.push([etag, city, kind.case, kind.value?.name]);
  }
  expect(found).toEqual([
    ['W/"1"', "", "person", "Ada"],
    ["", "Bonn", "company", "Acme"],
  ]);
  expect(differences).toEqual([]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /odata/Parties?%24filter=name%20eq%20%27x%27&%24select=a,b",
    "GET /odata/Parties?$skiptoken=2",
  ]);
});
