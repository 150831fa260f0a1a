/**
 * A client that floods a port. Arguments: the kind of flood and the port. Reports when it has begun, and the
 * number of its steps on request.
 */
import http2 from "node:http2";
import net from "node:net";
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS as HEADERS_FRAME,
  preface,
  requestHeaders,
} from "../load/http2-frames.ts";
import { type FloodKind, REFLECTION } from "../reliability/flood-kinds.ts";

const [, , kind, target] = process.argv;
const port = Number(target);
let done = 0;

const REQUEST =
  "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/** Concurrent requests on a connection, below the limit `streamsPerConnection`. */
const AT_ONCE = 64;
const CONNECTIONS = 200;

/**
 * Sends requests on one connection without waiting for each response. Reconnects if the connection is closed.
 */
function pipeline(atOnce: number): void {
  const socket = net.connect(port, "127.0.0.1");
  const text = REQUEST.repeat(Math.max(1, atOnce / 2));
  let seen = "";
  let running = 0;
  const send = () => {
    running += Math.max(1, atOnce / 2);
    socket.write(text);
  };
  socket.setEncoding("latin1").on("error", () => undefined);
  socket.on("data", (chunk: string) => {
    const heads = (seen + chunk).split("HTTP/1.1 ").length - 1;
    const before = seen.split("HTTP/1.1 ").length - 1;
    seen = chunk.slice(-12);
    done += heads - before;
    running -= heads - before;
    while (running <= atOnce / 2) send();
  });
  socket.on("close", () => setImmediate(pipeline, atOnce));
  send();
}

/** Sends one request per connection. */
function churn(): void {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => undefined).once("data", () => socket.destroy());
  socket.on("close", () => {
    done++;
    setImmediate(churn);
  });
  socket.write(REQUEST);
}

const HEADERS = {
  ":method": "POST",
  ":path": "/grpc.health.v1.Health/Check",
  "content-type": "application/json",
};

function sessionOf(again: () => void): http2.ClientHttp2Session {
  const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  session.on("close", () => setImmediate(again));
  return session;
}

function streams(): void {
  const session = sessionOf(streams);
  const next = () => {
    if (session.closed || session.destroyed) return;
    const stream = session.request(HEADERS).on("error", () => undefined);
    stream.on("close", () => {
      done++;
      next();
    });
    stream.resume().end("{}");
  };
  for (let count = 0; count < AT_ONCE; count++) next();
}

/** Opens streams and resets them immediately. */
function resets(): void {
  const session = sessionOf(resets);
  const burst = () => {
    if (session.closed || session.destroyed) return;
    for (let count = 0; count < AT_ONCE; count++) {
      const stream = session.request(HEADERS).on("error", () => undefined);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      done++;
    }
    setImmediate(burst);
  };
  session.once("connect", burst);
}

/** The number of questions per stream. */
const QUESTIONS = 100;

/** Requests the schema on one stream after another, as fast as responses arrive. */
function reflection(): void {
  const session = sessionOf(reflection);
  const ask = () => {
    if (session.closed || session.destroyed) return;
    const headers = {
      ":method": "POST",
      ":path": REFLECTION.path,
      "content-type": "application/grpc",
      te: "trailers",
    };
    const stream = session.request(headers).on("error", () => undefined);
    stream.on("close", () => {
      done += QUESTIONS;
      ask();
    });
    stream.resume().end(Buffer.concat(Array.from({ length: QUESTIONS }, () => REFLECTION.question)));
  };
  for (let count = 0; count < 16; count++) ask();
}

/** Opens connections and keeps them open. */
function hold(): void {
  const open = () => {
    const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
    socket.once("connect", () => {
      done++;
    });
    socket.on("close", () => setTimeout(open, 20));
  };
  for (let count = 0; count < 400; count++) open();
}

/** Sends requests for an unknown path, as many as fit into a read of the server, and reconnects. */
function unknownPaths(): void {
  const socket = net.connect(port, "127.0.0.1");
  const text = "GET /nothing HTTP/1.1\r\nhost: a\r\n\r\n".repeat(2000);
  const send = () => {
    while (!socket.destroyed && socket.write(text)) done++;
  };
  socket
    .on("error", () => undefined)
    .on("drain", send)
    .resume();
  socket.on("close", () => setImmediate(unknownPaths));
  send();
}

const SESSIONS = 8;
const STREAMS = 100;
const BODY_BYTES = 1000;

/** Sends bodies that consist of spaces on all streams of a session, with one byte in each DATA frame. */
function frames(): void {
  const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
  const head = requestHeaders({
    method: "POST",
    port,
    path: HEADERS[":path"],
    headers: [["content-type", HEADERS["content-type"]]],
  });
  let first = 1;
  const send = () => {
    for (let isMore = true; isMore && !socket.destroyed; first += 2 * STREAMS) {
      const ids = Array.from({ length: STREAMS }, (_, index) => first + 2 * index);
      const heads = ids.map((id) => frame(HEADERS_FRAME, END_HEADERS, id, head));
      const bytes = ids.map((id) =>
        Buffer.concat(Array(BODY_BYTES).fill(frame(DATA, 0, id, Buffer.from(" ")))),
      );
      const ends = ids.map((id) => frame(DATA, END_STREAM, id, Buffer.from("{}")));
      isMore = socket.write(Buffer.concat([...heads, ...bytes, ...ends]));
      done += STREAMS * BODY_BYTES;
    }
  };
  socket.write(preface());
  socket
    .on("drain", send)
    .on("close", () => setImmediate(frames))
    .resume();
  send();
}

/** Sends endless bodies of spaces, with one byte in each chunk. */
function chunks(): void {
  const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
  const head = REQUEST.replace("content-length: 2\r\n\r\n{}", "transfer-encoding: chunked\r\n\r\n");
  const bytes = "1\r\n \r\n".repeat(10_000);
  const send = () => {
    while (!socket.destroyed && socket.write(bytes)) done += 10_000;
  };
  socket.write(head);
  socket
    .on("drain", send)
    .on("close", () => setImmediate(chunks))
    .resume();
  send();
}

const FLOODS: Readonly<Record<FloodKind, () => void>> = {
  pipelined: () => pipeline(AT_ONCE),
  connections: () => {
    for (let count = 0; count < CONNECTIONS; count++) pipeline(1);
  },
  "new connections": () => {
    for (let count = 0; count < 32; count++) churn();
  },
  streams,
  resets,
  reflection,
  "unknown paths": () => {
    for (let count = 0; count < 20; count++) unknownPaths();
  },
  frames: () => {
    for (let count = 0; count < SESSIONS; count++) frames();
  },
  chunks: () => {
    for (let count = 0; count < 100; count++) chunks();
  },
  hold,
};

process.on("message", () => process.send?.(done));
process.on("disconnect", () => process.exit());
FLOODS[kind as FloodKind]();
process.send?.(0);
