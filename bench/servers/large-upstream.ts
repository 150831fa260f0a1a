/**
 * An upstream with pages of some megabytes. Arguments: the size of a page in MB, and the number of small
 * pages at the start.
 */
import http from "node:http";
import { PAGE } from "../reliability/call.ts";
import { listenLocally } from "./child.ts";

const megabytes = Number(process.argv[2]);
const body = Buffer.from(PAGE.replace("<p>", `<p>${"x".repeat(megabytes << 20)}`));
const small = Buffer.from(PAGE);
let left = Number(process.argv[3] ?? 0);

const server = http.createServer((request, response) => {
  request.resume();
  const page = left-- > 0 ? small : body;
  response.writeHead(200, { "content-type": "application/json", "content-length": page.length }).end(page);
});
const port = await listenLocally(server);
process.on("disconnect", () => process.exit());
process.send?.(port);
