/** The REST API: bookmarks in memory, two on a page of a list. `node api.ts` serves it on port 9090. */
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

interface Bookmark {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly created_at: number;
}

const PAGE = 2;
const bookmarks = new Map<number, Bookmark>();
let lastId = 0;

/** Responds to a request with a status and a JSON body. */
async function respond(request: IncomingMessage, url: URL): Promise<readonly [number, object?]> {
  const id = Number(/^\/bookmarks\/(\d+)$/.exec(url.pathname)?.[1]);
  const bookmark = bookmarks.get(id);
  const body = async () => (await json(request)) as Partial<Bookmark>;
  const save = (changed: Bookmark) => {
    bookmarks.set(changed.id, changed);
    return changed;
  };
  if (url.pathname === "/bookmarks") {
    if (request.method === "GET") return [200, page(Number(url.searchParams.get("after") ?? 0))];
    const created_at = Math.floor(Date.now() / 1000);
    lastId += 1;
    return [201, save({ url: "", title: "", tags: [], ...(await body()), id: lastId, created_at })];
  }
  if (bookmark === undefined) return [404, { error: "no such bookmark" }];
  if (request.method === "PATCH") return [200, save({ ...bookmark, ...(await body()), id })];
  if (request.method !== "DELETE") return [200, bookmark];
  bookmarks.delete(id);
  return [204];
}

function page(after: number): object {
  const rest = [...bookmarks.values()].filter(({ id }) => id > after);
  const items = rest.slice(0, PAGE);
  return { items, next: rest.length > PAGE ? String(items.at(-1)?.id) : null };
}

const server = createServer(async (request, response) => {
  const [status, body] = await respond(request, new URL(request.url ?? "/", "http://127.0.0.1"));
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
});
server.listen(Number(process.env.PORT ?? 9090), "127.0.0.1", () => {
  process.stdout.write(`bookmarks ready ${JSON.stringify(server.address())}\n`);
});
