/** The upstream: fixed bytes for every page, over bare sockets, so that it takes as little time as can be. */
import net from "node:net";
import { PAGES, pageFor } from "../pages.ts";
import { listenLocally, serveParent } from "./child.ts";

const responses = new Map(PAGES.map((page) => [page.offset, response(200, page.json)]));
const notFound = response(404, '{"meta":{"status":404,"msg":"Not Found"},"response":[]}');

function response(status: number, json: string): Buffer {
  const body = Buffer.from(json);
  const head = [
    `HTTP/1.1 ${status} ${status === 200 ? "OK" : "Not Found"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

function responseFor(target: string): Buffer {
  const page = pageFor(target);
  if (page === undefined) return notFound;
  const made = responses.get(page.offset) ?? response(200, page.json);
  responses.set(page.offset, made);
  return made;
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let received = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    // Requests without a body, one after the other: the end of the head is the end of the request.
    for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
      const [, target = ""] = received.slice(0, received.indexOf("\r\n")).split(" ");
      socket.write(responseFor(target));
      received = received.slice(end + 4);
    }
  });
});

serveParent({ http1: await listenLocally(server) });
