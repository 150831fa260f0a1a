import http from "node:http";
import { zstdCompressSync } from "node:zlib";
import { call } from "../reliability/call.ts";
import type { Attack } from "./attack.ts";

const FRAMES = 900;
const AT_ONCE = 8;

export const emptyFrames: Attack = {
  name: "frames",
  does: `bodies of ${FRAMES} empty frames of zstd`,
  serves: "posts",
  others: "a page of posts",
  slower: 25,
  costs: { what: "such a body", calls: 25 },
  begin: (port, did) => {
    const frame = zstdCompressSync(Buffer.alloc(0));
    const body = Buffer.concat(Array<Buffer>(FRAMES).fill(frame));
    const headers = { "content-encoding": "zstd" };
    const agent = new http.Agent({ keepAlive: true });
    const send = async () => {
      for (;;) {
        await call(port, { body, headers, agent });
        did(1);
      }
    };
    for (let i = 0; i < AT_ONCE; i++) void send();
  },
};
