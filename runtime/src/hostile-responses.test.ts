import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { HOSTILE_RESPONSES } from "./testing/hostile-responses.ts";

const program = fileURLToPath(new URL("./testing/hostile-responses.ts", import.meta.url));

/** The expected result of a call with an unusual body: the reason of the error, or the id in the message. */
const BODIES: Readonly<Record<string, string>> = {
  "10 000 arrays": "RESPONSE_SHAPE",
  "10 000 objects": "UPSTREAM_BODY_TOO_DEEP",
  "10 000 000 arrays": "UPSTREAM_BODY_TOO_COSTLY",
  "5 000 000 adjacent objects": "UPSTREAM_BODY_TOO_COSTLY",
  "1 000 000 numbers with a large exponent": "UPSTREAM_BODY_TOO_COSTLY",
  "10 000 levels of raw JSON": "0",
  "a key named __proto__": "0",
  NaN: "UPSTREAM_BODY_NOT_JSON",
  "a number of 1 000 000 digits": "0",
  "a number with a huge exponent": "0",
  "a string of 40 MB": "UPSTREAM_BODY_TOO_LARGE",
  "a string of 40 MB in chunks": "UPSTREAM_BODY_TOO_LARGE",
  "a gzip bomb": "UPSTREAM_BODY_TOO_LARGE",
  "a gzip bomb inside gzip": "UPSTREAM_BODY_TOO_LARGE",
  "a brotli bomb": "UPSTREAM_BODY_TOO_LARGE",
  "a zstd bomb": "UPSTREAM_BODY_TOO_LARGE",
  "a thousand encodings": "UPSTREAM_BODY_ENCODING",
};

/** The expected result of a call with unusual HTTP framing. */
const FRAMES: Readonly<Record<string, string>> = {
  "endless headers": "UPSTREAM_HEADERS_TOO_LARGE",
  "an endless header": "UPSTREAM_HEADERS_TOO_LARGE",
  "endless trailers": "UPSTREAM_HEADERS_TOO_LARGE",
  "an endless sequence of 100 Continue": "UPSTREAM_RESET",
  "an endless sequence of 103 Early Hints": "UPSTREAM_INTERIM_RESPONSES",
  "101 Switching Protocols": "UPSTREAM_RESET",
  "a few interim responses": "5",
  "a length that is too large": "UPSTREAM_TRUNCATED",
  "a length that is too small": "5",
  "two lengths": "UPSTREAM_RESET",
  "a length and chunks": "UPSTREAM_RESET",
  "a negative length": "UPSTREAM_NOT_HTTP",
  "a length beyond 2^64": "UPSTREAM_RESET",
  "chunk extensions": "5",
  "endless chunk extensions": "DEADLINE_EXCEEDED",
  "a chunk size beyond 2^64": "UPSTREAM_TRUNCATED",
  "HTTP/1.0, ended by closing the connection": "5",
  "HTTP/0.9": "UPSTREAM_NOT_HTTP",
  "a null byte in a header": "UPSTREAM_NOT_HTTP",
};

test("every hostile response has an expected result", () => {
  expect(HOSTILE_RESPONSES).toEqual([...Object.keys(BODIES), ...Object.keys(FRAMES)]);
});

const CASES = [
  ...Object.entries({ ...BODIES, ...FRAMES }).map((each) => [...each, "our own reader"] as const),
  ...Object.entries(FRAMES).map((each) => [...each, "undici"] as const),
];

test.each(CASES)(
  "a response with %s results in %s, without other effects, if it is read by %s",
  { timeout: 60_000 },
  async (name, end, reader) => {
    const options = ["--max-old-space-size=256", program, name, reader];
    const { stdout } = await promisify(execFile)(process.execPath, options);
    const { first, second, grown, polluted } = JSON.parse(stdout) as Record<string, unknown>;
    expect([first, second, polluted]).toEqual([end, "7", false]);
    expect(grown).toBeLessThan(200);
  },
);
