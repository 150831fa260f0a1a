/** The upstream. Sends fixed bytes for every page over plain sockets, to use as little time as possible. */
import net from "node:net";
import { PAGES, type Page, pageFor } from "../pages.ts";
import { listenLocally, serveParent } from "./child.ts";

/** The same page for clients with and without gzip. */
interface Responses {
  readonly plain: Buffer;
  readonly gzip: Buffer | undefined;
}

const responses = new Map(PAGES.map((page) => [page.offset, responsesOf(page)]));
const notFound = response(
  "404 Not Found",
  Buffer.from('{"meta":{"status":404,"msg":"Not Found"},"response":[]}'),
);

function responsesOf({ json, gzip }: Page): Responses {
  return {
    plain: response("200 OK", Buffer.from(json)),
    gzip: gzip && response("200 OK", gzip, ["content-encoding: gzip"]),
  };
}

function response(status: string, body: Uint8Array, headers: readonly string[] = []): Buffer {
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${body.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

function responseFor(head: string): Buffer {
  const [, target = ""] = head.slice(0, head.indexOf("\r\n")).split(" ");
  const page = pageFor(target);
  if (page === undefined) return notFound;
  const { plain, gzip } = responses.get(page.offset) ?? responsesOf(page);
  responses.set(page.offset, { plain, gzip });
  return gzip !== undefined && /\r\naccept-encoding:[^\r]*gzip/i.test(head) ? gzip : plain;
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let received = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    // Requests have no body, so a request ends with its headers.
    for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
      socket.write(responseFor(received.slice(0, end)));
      received = received.slice(end + 4);
    }
  });
});

serveParent({ http1: await listenLocally(server) });
