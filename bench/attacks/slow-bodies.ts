import net from "node:net";
import { LIST_POSTS } from "../reliability/call.ts";
import type { Attack } from "./attack.ts";

const BODIES = 4000;
/** The time between two bytes of a body, in milliseconds. */
const BYTE_MS = 2000;

const HEAD = `POST ${LIST_POSTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`;

function sendSlowly(port: number, did: (count: number) => void): void {
  const socket = net.connect(port, "127.0.0.1", () => {
    socket.write(HEAD);
    did(1);
  });
  const timer = setInterval(() => socket.write(" "), BYTE_MS);
  socket.resume().on("error", () => undefined);
  socket.on("close", () => {
    clearInterval(timer);
    setTimeout(sendSlowly, BYTE_MS, port, did);
  });
}

export const slowBodies: Attack = {
  name: "slow-bodies",
  does: `${BODIES} bodies that arrive a byte at a time`,
  serves: "posts",
  others: "a page of posts",
  slower: 25,
  begin: (port, did) => {
    for (let i = 0; i < BODIES; i++) sendSlowly(port, did);
  },
};
