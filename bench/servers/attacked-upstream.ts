/** An upstream for attacked gateways, with posts and feeds, some of them large. */
import http from "node:http";
import { LARGE_BLOG, LARGE_FEED } from "../attacks/attack.ts";
import { PAGE } from "../reliability/call.ts";
import { listenLocally } from "./child.ts";

const PAGES = {
  usual: Buffer.from(PAGE),
  large: Buffer.from(PAGE.replace("<p>", `<p>${"x".repeat(1 << 20)}`)),
};
const JSON_HEADERS = { "content-type": "application/json" };

/** The number of polls across all feeds. Every poll returns new items. */
let polls = 0;

function feedOf(owner: string): string {
  const length = owner.startsWith(LARGE_FEED.owner) ? LARGE_FEED.items : 10;
  const first = ++polls * LARGE_FEED.items;
  const item = (_: unknown, index: number) => ({ id: first - index, name: `event ${first - index}` });
  return JSON.stringify(Array.from({ length }, item));
}

const server = http.createServer((request, response) => {
  request.resume();
  const [, owner] = /^\/feeds\/([^?]*)/.exec(request.url ?? "") ?? [];
  if (owner === undefined) {
    const page = request.url?.includes(`/${LARGE_BLOG}/`) === true ? PAGES.large : PAGES.usual;
    response.writeHead(200, { ...JSON_HEADERS, "content-length": page.length }).end(page);
    return;
  }
  const interval = owner.startsWith(LARGE_FEED.owner) ? 1 : 60;
  response.writeHead(200, { ...JSON_HEADERS, "x-poll-interval": String(interval) }).end(feedOf(owner));
});
const port = await listenLocally(server);
process.on("disconnect", () => process.exit());
process.send?.(port);
