import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { createRest, type FetchFunction } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { CatalogServiceRest } from "./gen/catalog/v1/catalog_rest.ts";
import { DeskService } from "./gen/desk/v1/desk_pb.ts";
import { routesOf } from "./routes.ts";

/** Calls the desk, with a function in place of the catalog. */
async function suggestion(isbns: string[], catalog: FetchFunction): Promise<string> {
  const rest = createRest({
    adapters: [CatalogServiceRest],
    upstreams: { catalog: { baseUrl: "https://catalog.example", credentials: { apiKey: "key" } } },
    fetch: catalog,
  });
  const desk = createClient(DeskService, createRouterTransport(routesOf(rest)));
  try {
    return (await desk.suggestBook({ isbns })).title;
  } finally {
    await rest.close();
  }
}

test("the desk suggests the first available book", async () => {
  const asked: unknown[] = [];
  const title = await suggestion(["1", "2", "3"], async (url, init) => {
    const { pathname } = new URL(url);
    asked.push([pathname, new Headers(init?.headers).get("x-api-key")]);
    return Response.json({ title: `Book ${pathname}`, available: pathname === "/books/2" ? 1 : 0 });
  });
  expect(title).toBe("Book /books/2");
  expect(asked).toEqual([
    ["/books/1", "key"],
    ["/books/2", "key"],
  ]);
});

test("the desk has no suggestion if the catalog does not know the book", async () => {
  const call = suggestion(["1"], async () => Response.json({}, { status: 404 }));
  await expect(call).rejects.toMatchObject({ code: Code.NotFound });
});
