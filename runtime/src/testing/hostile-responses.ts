/**
 * A program for a separate process: `node hostile-responses.ts <name>` calls an upstream that sends a hostile
 * response from yet another process. Prints the result of the call, the result of a second call, and the
 * growth of the process in megabytes. If `undici` follows the name, undici reads the response in place of the
 * runtime's own reader.
 */
import { fork } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "../errors/rest-error.ts";
import { createRest, type Rest } from "../rest.ts";
import { thingAdapter, thingOf, thingRequest, thingService } from "./thing-service.ts";

const MEGABYTE = 1 << 20;

type Respond = (socket: Socket) => void;

function whole(body: string | Uint8Array, headers = ""): Respond {
  const bytes = Buffer.from(body);
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  };
}

function raw(text: string): Respond {
  return (socket) => socket.end(text, "latin1");
}

/** Writes endlessly, as fast as the peer reads. */
function endless(head: string, more: string): Respond {
  return (socket) => {
    const write = () => {
      while (socket.writable && socket.write(more));
      socket.once("drain", write);
    };
    socket.write(head);
    write();
  };
}

const zeros = () => Buffer.alloc(64 * MEGABYTE);
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

/** The responses by name. They are created lazily, since some are large. */
const RESPONSES: Readonly<Record<string, () => Respond>> = {
  "10 000 arrays": () => whole(nested("[", "]", 10_000)),
  "10 000 objects": () => whole(`${'{"self":'.repeat(10_000)}{}${"}".repeat(10_000)}`),
  "10 000 000 arrays": () => whole("[".repeat(10_000_000)),
  "5 000 000 adjacent objects": () => whole(`{"raw":[${"{},".repeat(5_000_000)}{}]}`),
  "1 000 000 numbers with a large exponent": () =>
    whole(`{"id":9007199254740993,"raw":[${"1e999,".repeat(1_000_000)}1]}`),
  "10 000 levels of raw JSON": () => whole(`{"raw":${nested("[", "]", 10_000)}}`),
  "a key named __proto__": () =>
    whole('{"__proto__":{"id":9,"name":"evil"},"constructor":{"prototype":{"name":"evil"}}}'),
  NaN: () => whole('{"id":NaN}'),
  "a number of 1 000 000 digits": () => whole(`{"id":${"9".repeat(1_000_000)}}`),
  "a number with a huge exponent": () => whole('{"id":1e999999999,"raw":1e999999999}'),
  "a string of 40 MB": () => whole(`{"name":"${"x".repeat(40_000_000)}"}`),
  "a string of 40 MB in chunks": () => endless(CHUNKED, `10000\r\n${"x".repeat(65_536)}\r\n`),
  "a gzip bomb": () => whole(gzipSync(zeros()), "content-encoding: gzip\r\n"),
  "a gzip bomb inside gzip": () => whole(gzipSync(gzipSync(zeros())), "content-encoding: gzip, gzip\r\n"),
  "a brotli bomb": () => whole(brotliCompressSync(zeros()), "content-encoding: br\r\n"),
  "a zstd bomb": () => whole(zstdCompressSync(zeros()), "content-encoding: zstd\r\n"),
  "a thousand encodings": () => whole("x", `content-encoding: ${Array(1000).fill("gzip").join(",")}\r\n`),
  "endless headers": () => endless("HTTP/1.1 200 OK\r\n", "x-more: more\r\n"),
  "an endless header": () => endless("HTTP/1.1 200 OK\r\nx-long: ", "x".repeat(65_536)),
  "endless trailers": () => endless(`${CHUNKED}2\r\n{}\r\n0\r\n`, "x-more: more\r\n"),
  "an endless sequence of 100 Continue": () => endless("", "HTTP/1.1 100 Continue\r\n\r\n"),
  "an endless sequence of 103 Early Hints": () =>
    endless("", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
  "101 Switching Protocols": () =>
    raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
  "a few interim responses": () => (socket) => {
    socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(5));
    whole('{"id":5}')(socket);
  },
  "a length that is too large": () => raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":5}'),
  "a length that is too small": () => (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"id":5}');
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"id":6}');
  },
  "two lengths": () => raw('HTTP/1.1 200 OK\r\ncontent-length: 8\r\ncontent-length: 2\r\n\r\n{"id":5}'),
  "a length and chunks": () =>
    raw(
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"id":5}\r\n0\r\n\r\n',
    ),
  "a negative length": () => raw("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}"),
  "a length beyond 2^64": () => raw(`HTTP/1.1 200 OK\r\ncontent-length: ${"9".repeat(400)}\r\n\r\n{}`),
  "chunk extensions": () => raw(`${CHUNKED}8;a=b;c="d"\r\n{"id":5}\r\n0;e\r\n\r\n`),
  "endless chunk extensions": () => endless(`${CHUNKED}8;`, "a".repeat(65_536)),
  "a chunk size beyond 2^64": () => raw(`${CHUNKED}${"f".repeat(40)}\r\n{}`),
  "HTTP/1.0, ended by closing the connection": () => raw('HTTP/1.0 200 OK\r\n\r\n{"id":5}'),
  "HTTP/0.9": () => raw('{"id":5}'),
  "a null byte in a header": () => raw("HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 2\r\n\r\n{}"),
};

/** The names of all responses. */
export const HOSTILE_RESPONSES = Object.keys(RESPONSES);

if (import.meta.main) {
  const [, , name = "", role] = process.argv;
  if (role === "server") {
    serve(name);
  } else {
    // undici handles all requests while its channel has a subscriber
    if (role === "undici") channel("undici:request:create").subscribe(() => undefined);
    await main(name);
  }
}

function serve(name: string): void {
  const good = whole('{"id":7}');
  const respond = RESPONSES[name]?.() ?? good;
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      if (++requests === 1) {
        respond(socket);
      } else {
        good(socket);
      }
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function main(name: string): Promise<void> {
  const server = fork(import.meta.filename, [name, "server"]);
  const [port] = (await once(server, "message")) as [number];
  const rest = createRest({
    adapters: [thingService()],
    upstreams: { things: { baseUrl: `http://127.0.0.1:${port}`, retry: false, connections: 1 } },
    timeoutMs: 2_000,
  });
  const before = process.memoryUsage.rss();
  const first = await outcomeOf(rest);
  const grown = Math.round((process.memoryUsage.rss() - before) / MEGABYTE);
  const second = await outcomeOf(rest);
  await rest.close();
  server.kill();
  const polluted = "name" in {} || "id" in {};
  process.stdout.write(JSON.stringify({ first, second, grown, polluted }));
}

async function outcomeOf(rest: Rest): Promise<string> {
  try {
    const { bytes } = await rest.call(thingAdapter(), thingRequest({ name: "a" }));
    const { id, name } = thingOf(bytes);
    return `${id}${name}`;
  } catch (error) {
    return error instanceof ConnectError ? (reasonOf(error) ?? "no reason") : String(error);
  }
}
