import fc from "fast-check";
import { expect, test } from "vitest";
import { type Verdict, verdictOf } from "../testing/scripted-server.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n`;

/** Typical and unusual server responses. */
const RESPONSES: Readonly<Record<string, string>> = {
  "a length": `${OK}content-type: application/json\r\ncontent-length: 8\r\n\r\n{"id":5}`,
  "no body": `${OK}content-length: 0\r\n\r\n`,
  "no reason phrase": "HTTP/1.1 404 \r\nContent-Length: 2\r\n\r\n{}",
  "204": "HTTP/1.1 204 No Content\r\nx-a: b\r\n\r\n",
  "204 with a length of 0": "HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n",
  "304 with a length": "HTTP/1.1 304 Not Modified\r\ncontent-length: 8\r\n\r\n",
  "headers in another case, with spaces": `${OK}X-A:\t b c \t\r\nCONTENT-LENGTH:2\r\nX-A: d\r\nset-cookie: e\r\nset-cookie: f\r\n\r\n{}`,
  "an empty header": `${OK}x-a:\r\nx-b: \r\ncontent-length: 1\r\n\r\n1`,
  "names of object methods": `${OK}constructor: a\r\ntostring: b\r\n__proto__: c\r\ncontent-length: 1\r\n\r\n1`,
  "non-ASCII bytes": `${OK}x-a: \xe4\xff\r\ncontent-length: 1\r\n\r\n\xe4`,
  "a connection that is closed": `${OK}connection: close\r\ncontent-length: 2\r\n\r\n{}`,
  "a connection that is kept": `${OK}Connection: Keep-Alive\r\nkeep-alive: timeout=5\r\ncontent-length: 2\r\n\r\n{}`,
  "a connection that is kept for too short a time": `${OK}keep-alive: timeout=1\r\ncontent-length: 2\r\n\r\n{}`,
  "connection options": `${OK}connection: keep-alive, x-a\r\ncontent-length: 2\r\n\r\n{}`,
  "a proxy connection header": `${OK}proxy-connection: close\r\ncontent-length: 2\r\n\r\n{}`,
  "an offered upgrade": `${OK}connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\n{}`,
  "an upgrade": "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
  chunks: `${CHUNKED}\r\n4\r\n{"id\r\n4\r\n":5}\r\n0\r\n\r\n`,
  "chunks with zeros and capitals": `${CHUNKED}\r\n0000A\r\n0123456789\r\n00\r\n\r\n`,
  "chunk extensions": `${CHUNKED}\r\n2;a=b;c="d"\r\n{}\r\n0;e\r\n\r\n`,
  trailers: `${CHUNKED}trailer: x-a\r\n\r\n2\r\n{}\r\n0\r\nx-a: b\r\nx-c:d\r\n\r\n`,
  "a length in trailers": `${CHUNKED}\r\n2\r\n{}\r\n0\r\ncontent-length: 2\r\n\r\n`,
  "an encoding in trailers": `${CHUNKED}\r\n2\r\n{}\r\n0\r\ntransfer-encoding: chunked\r\n\r\n`,
  "large trailers": `${CHUNKED}\r\n2\r\n{}\r\n0\r\nx-a: ${"b".repeat(600)}\r\n\r\n`,
  "a large head": `${OK}x-a: ${"b".repeat(600)}\r\ncontent-length: 2\r\n\r\n{}`,
  "many headers": `${OK}${"x-a: b\r\n".repeat(60)}content-length: 2\r\n\r\n{}`,
  "two encodings": `${OK}transfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "an unknown encoding": `${OK}transfer-encoding: x\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "a length and chunks": `${CHUNKED}content-length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "chunks and a length": `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "two lengths": `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`,
  "a list of lengths": `${OK}content-length: 2, 2\r\n\r\n{}`,
  "a length with a sign": `${OK}content-length: +2\r\n\r\n{}`,
  "a length with a space": `${OK}content-length : 2\r\n\r\n{}`,
  "a folded length": `${OK}content-length: 2\r\n 2\r\n\r\n{}`,
  "an empty length": `${OK}content-length:\r\n\r\n{}`,
  "bare line feeds": "HTTP/1.1 200 OK\ncontent-length: 2\n\n{}",
  "a line feed in a header": `${OK}x-a: b\ncontent-length: 2\r\n\r\n{}`,
  "a carriage return in a header": `${OK}x-a: b\rc\r\ncontent-length: 2\r\n\r\n{}`,
  "line feeds in chunks": `${CHUNKED}\r\n2\n{}\n0\n\n`,
  "a chunk that is longer than its size": `${CHUNKED}\r\n2\r\n{}{}\r\n0\r\n\r\n`,
  "a chunk size with a space": `${CHUNKED}\r\n2 \r\n{}\r\n0\r\n\r\n`,
  "a chunk size of 0x2": `${CHUNKED}\r\n0x2\r\n{}\r\n0\r\n\r\n`,
  "no chunk size": `${CHUNKED}\r\n\r\n{}\r\n0\r\n\r\n`,
  "a body until the connection ends": `${OK}x-a: b\r\n\r\n{}`,
  "HTTP/1.0": "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "HTTP/1.0 with a connection that is kept":
    "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}",
  "HTTP/2.0": "HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
  "HTTP/0.9": '{"id":5}',
  "a status of four digits": "HTTP/1.1 2000 OK\r\ncontent-length: 2\r\n\r\n{}",
  "a status of 999": "HTTP/1.1 999 OK\r\ncontent-length: 2\r\n\r\n{}",
  "a status of 0": "HTTP/1.1 000 OK\r\ncontent-length: 2\r\n\r\n{}",
  "early hints": `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${OK}content-length: 2\r\n\r\n{}`,
  "100 Continue": `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\n{}`,
  "blank lines before the response": `\r\n\r\n${OK}content-length: 2\r\n\r\n{}`,
  "a response after the response": `${OK}content-length: 2\r\n\r\n{}${OK}content-length: 5\r\n\r\nwrong`,
  "a response after chunks": `${CHUNKED}\r\n2\r\n{}\r\n0\r\n\r\n${OK}content-length: 5\r\n\r\nwrong`,
  "a response after 204": `HTTP/1.1 204 No\r\n\r\n${OK}content-length: 5\r\n\r\nwrong`,
  "a null byte in a header": `${OK}x-a: b\0c\r\ncontent-length: 2\r\n\r\n{}`,
};

async function same(pieces: readonly Buffer[]): Promise<void> {
  const undici = await verdictOf("undici", { pieces });
  for (const kind of ["ours", "borrowing"] as const) {
    const ours = await verdictOf(kind, { pieces });
    expect(comparable(ours)).toEqual(comparable(undici));
    // this client may close a connection earlier than undici, but must not reuse a connection that undici
    // closes
    if (ours.reused) expect(undici.reused).toBe(true);
  }
}

/**
 * Returns the parts of a verdict that must be equal. All errors after the head are equivalent: the response
 * is incomplete.
 */
function comparable({ status, headers, body, error, early, second }: Verdict) {
  if (error === undefined || status === undefined) return { status, headers, body, error, early, second };
  return { status, headers, error: "broken", second };
}

const bytesOf = (text: string) => Buffer.from(text, "latin1");

test.each(Object.entries(RESPONSES))(
  "a response with %s is read with the same result as in undici",
  async (_, text) => {
    await same([bytesOf(text)]);
  },
);

test.each(Object.entries(RESPONSES))(
  "a response with %s is read with the same result as in undici if it arrives in two pieces",
  async (_, text) => {
    const bytes = bytesOf(text);
    for (let at = 1; at < Math.min(bytes.length, 200); at++) {
      await same([bytes.subarray(0, at), bytes.subarray(at)]);
    }
    await same(Array.from(bytes.subarray(0, 400), (byte) => Buffer.of(byte)));
  },
);

const TEXTS = Object.values(RESPONSES).filter(({ length }) => length < 300);
const STRANGE = [
  "\r",
  "\n",
  "\r\n",
  " ",
  "\t",
  ":",
  ";",
  ",",
  "0",
  "1",
  "f",
  "-",
  "+",
  "x",
  "\0",
  "\x7f",
  "\x80",
];
const LINES = ["content-length: 1", "transfer-encoding: chunked", "connection: close", " folded", "x-a: b"];

/** The place and the kind of a mutation of a response. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat({ max: 3 }),
  insert: fc.oneof(
    fc.constantFrom("", ...STRANGE),
    fc.constantFrom(...LINES).map((line) => `\r\n${line}`),
    fc.constantFrom(...LINES).map((line) => `${line}\r\n`),
  ),
});

function mutated(text: string, changes: readonly { at: number; drop: number; insert: string }[]): string {
  let result = text;
  for (const { at, drop, insert } of changes) {
    const from = Math.floor(at * result.length);
    result = result.slice(0, from) + insert + result.slice(from + drop);
  }
  return result;
}

const changedResponse = fc
  .tuple(fc.constantFrom(...TEXTS), fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([text, changes]) => mutated(text, changes));

test("a mutated response is read with the same result as in undici", async () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(changedResponse, cuts, async (text, places) => {
      const bytes = bytesOf(text);
      const at = [0, ...places.map((place) => Math.floor(place * bytes.length)), bytes.length].toSorted(
        (a, b) => a - b,
      );
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      await same(pieces.filter(({ length }) => length > 0));
    }),
    // no time limit, so that a hang is not mistaken for slowness
    { numRuns: 400 },
  );
}, 120_000);
