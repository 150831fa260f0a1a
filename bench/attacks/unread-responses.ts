import http2 from "node:http2";
import { LIST_POSTS } from "../reliability/call.ts";
import { type Attack, LARGE_BLOG } from "./attack.ts";

const RESPONSES = 1900;
const PER_SESSION = 100;

const HEADERS = { ":method": "POST", ":path": LIST_POSTS, "content-type": "application/json" };
const REQUEST = JSON.stringify({ blogIdentifier: LARGE_BLOG, limit: 1 });

/**
 * Requests a response and never opens the window for it. Repeats the request when the gateway resets the
 * stream.
 */
function ask(session: http2.ClientHttp2Session, did: (count: number) => void): void {
  const stream = session.request(HEADERS).on("error", () => undefined);
  stream.on("close", () => setTimeout(() => session.destroyed || ask(session, did), 1000));
  stream.end(REQUEST);
  did(1);
}

function connect(port: number, did: (count: number) => void): void {
  const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  session.on("close", () => setTimeout(connect, 1000, port, did));
  session.once("connect", () => {
    for (let i = 0; i < PER_SESSION; i++) ask(session, did);
  });
}

export const unreadResponses: Attack = {
  name: "unread-responses",
  does: `${RESPONSES} responses of 1 MB that their client does not read`,
  serves: "posts",
  others: "a page of posts",
  slower: 100,
  begin: (port, did) => {
    for (let i = 0; i < RESPONSES / PER_SESSION; i++) connect(port, did);
  },
};
