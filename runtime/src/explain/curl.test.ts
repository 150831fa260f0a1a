import { spawnSync } from "node:child_process";
import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../text/secret.ts";
import { curlCommand } from "./curl.ts";
import type { ExplainedRequest } from "./explained.ts";
import { Explanation } from "./explanation.ts";
import { shownHeaders } from "./shown-headers.ts";

const REQUEST: ExplainedRequest = {
  verb: "GET",
  url: "https://api.example.com/a[1]?q={b}",
  headers: [],
  body: undefined,
  credentials: "none",
  isRetry: false,
  response: undefined,
};

const anyMethod = { name: "Method", parent: { typeName: "a.Service" } } as never;

const bodyOf = (text: string | undefined) => ({ bytes: text?.length, text, isCut: false });

test.each<[string, Partial<ExplainedRequest>, string]>([
  ["a GET", {}, "curl --globoff 'https://api.example.com/a[1]?q={b}'"],
  ["a HEAD", { verb: "HEAD" }, "curl --globoff --head 'https"],
  ["a POST without a body", { verb: "POST" }, "-H 'content-length: 0'"],
  ["a POST with an empty body", { verb: "POST", body: bodyOf("") }, "--data-raw ''"],
  ["a body with NUL", { verb: "POST", body: bodyOf("a\0b") }, "--data-binary @body"],
  ["a binary body", { verb: "POST", body: bodyOf(undefined) }, "# write the body into the file named body"],
  [
    "a body with a secret",
    { verb: "POST", body: bodyOf("[secret]") },
    "# replace each [secret] with its value",
  ],
  ["a hidden header", { headers: [{ name: "user", value: undefined }] }, '-H "user: $HEADER_USER"'],
  ["credentials that a dry run lacks", { credentials: "unknown" }, "# the credentials are added"],
])("the curl command of %s", (_name, request, part) => {
  expect(curlCommand({ ...REQUEST, ...request })).toContain(part);
});

/** Returns the arguments that a shell passes to curl, as bytes. */
function argumentsOf(command: string): string[] {
  const program = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = spawnSync("sh", ["-c", program]);
  return stdout.toString("latin1").split("\0");
}

test("a shell passes headers to curl as the bytes that the runtime sends, and bodies as UTF-8", () => {
  const character = fc.integer({ min: 0x20, max: 0xff }).filter((code) => code < 0x7f || code > 0x9f);
  const value = fc
    .array(fc.oneof(character, fc.constantFrom(0x27, 0x5c, 0x25, 0x24, 0x60)), { maxLength: 20 })
    .map((codes) => String.fromCharCode(...codes));
  const headers = fc.array(value, { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(headers, fc.string({ unit: "grapheme" }), (values, text) => {
      const shown = values.map((each, index) => ({ name: `x-${index}`, value: each }));
      const body = { bytes: Buffer.byteLength(text), text, isCut: false };
      const passed = argumentsOf(curlCommand({ ...REQUEST, verb: "POST", headers: shown, body }));
      expect(passed).toEqual(
        expect.arrayContaining(shown.map(({ name, value: each }) => `${name}: ${each}`)),
      );
      if (!text.includes("\0")) expect(passed).toContain(Buffer.from(text).toString("latin1"));
    }),
    { numRuns: 20 },
  );
});

test("an explanation hides the user, the password and the query of a redirect target", () => {
  const of = (location: string) => shownHeaders([["location", location]], new Set(), [])[0]?.value;
  expect(of("https://user:pass@host/path?X-Signature=abc#d")).toBe("https://[secret]@host/path?[secret]");
  expect(of("//u@host/x")).toBe("//[secret]@host/x");
  expect(of("/path")).toBe("/path");
  const users = ["https:", "https:/", "https:\\\\", "ht\ttps://", "\\\\", "/\\", "///", " https://"];
  for (const start of users) expect(of(`${start}u:pass@h/x`)).not.toContain("pass");
});

test("an explanation hides a secret in the name of a header", () => {
  const secret = new Secret("s3cretKey-AbC");
  const [header] = shownHeaders([["x-ratelimit-s3cretkey-abc", "3"]], new Set(), [secret]);
  expect(header?.name).not.toContain("s3cretkey");
});

test("explanations hide the queries of links", () => {
  const link =
    '<https://u:p@a.example/2?sig=abc>; rel="next", </1?sig=abc>; rel="first", <https://a/3?sig=abc>; anchor="https://a/4?sig=abc"; title="t?sig=abc"';
  const [header] = shownHeaders([["link", link]], new Set(), []);
  expect(header?.value).toBe(
    '<https://[secret]@a.example/2?[secret]>; rel="next", </1?[secret]>; rel="first", <https://a/3?[secret]>',
  );
});

test("header values of an upstream contain no control characters", () => {
  const [header] = shownHeaders([["server", "a\u009b31mb"]], new Set(), []);
  expect(header?.value).not.toMatch(/[\u0080-\u009f]/);
});

/** Characters that control a terminal, or reorder or hide text, among others. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "\u009b", "\r", "\n", "\\", "'", "$(a)", "%", "7", "\u007f", "\u0085"),
    fc.constantFrom("\u202a", "\u202e", "\u2066", "\u2069", "\u200b", "\ufeff", "\u{e0041}", "\u2028"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 12,
});

const DECEPTIVE = /(?![\n\t\r])\p{Cc}|\r(?!\n)|[\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\u200b]/u;

test("no text form of an explanation contains characters that control a terminal or reorder text", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const request = { ...REQUEST, verb: "POST", url: `https://a.example/${text}`, body: bodyOf(text) };
      const explanation = new Explanation({
        method: anyMethod,
        upstream: text,
        isSent: false,
        requests: [request],
        readBy: undefined,
        differences: [{ class: "lost", path: text, expected: text, got: text }] as never,
        error: new ConnectError(text),
      });
      expect(explanation.toString()).not.toMatch(DECEPTIVE);
      expect(explanation.toCurl()).not.toMatch(DECEPTIVE);
      if (text.includes("\0") || !text.isWellFormed()) return;
      const passed = argumentsOf(curlCommand({ ...REQUEST, verb: "POST", body: bodyOf(text) }));
      if (!passed.includes("@body")) expect(passed).toContain(Buffer.from(text).toString("latin1"));
    }),
    { numRuns: 100 },
  );
});
