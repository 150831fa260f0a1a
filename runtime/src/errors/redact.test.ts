import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { Secret } from "../text/secret.ts";
import { holdsSecret, redactBeginning, redactDetails, redactError, redactText, shownText } from "./redact.ts";

const secrets = (...texts: string[]) => texts.map((text) => new Secret(text));

test.each([
  ["token=sw0rdfish-77!", "sw0rdfish-77", "token=[secret]!"],
  ["xsw0rdfish-77x", "sw0rdfish-77", "x[secret]x"],
  ["/?key=a%2Fb%20c%2Bd+e", "a/b c+d+e", "/?key=[secret]"],
  ["/?key=a%2fb+c%252Bd%2be", "a/b c+d+e", "/?key=[secret]"],
  ["SW0RDFISH-77", "sw0rdfish-77", "[secret]"],
  ["/?key=a%2Fb%20c%2Bd%2Be", "a/b c+d+e", "/?key=[secret]"],
  ['{"key":"say \\"friend\\""}', 'say "friend"', '{"key":"[secret]"}'],
  ['{"key":"a\\/b+c"}', "a/b+c", '{"key":"[secret]"}'],
  ['{"key":"a\\u0026b\\u003cc"}', "a&b<c", '{"key":"[secret]"}'],
  ["<Key>a&amp;b&lt;c&quot;</Key>", 'a&b<c"', "<Key>[secret]</Key>"],
  ["<p>it&#39;s so, it&#039;s, it&apos;s so</p>", "it's so", "<p>[secret], it&#039;s, [secret]</p>"],
  ["a+b(c)[d]{e}|f\\g^h$i.j?", "a+b(c)[d]{e}|f\\g^h$i.j?", "[secret]"],
])("in the text %j, the secret %j is redacted: %j", (text, secret, left) => {
  expect(redactText(text, secrets(secret))).toBe(left);
});

test.each([
  ["a bad day at the bay", "a", "[secret] bad day at the bay"],
  ["Invalid key sk-123 in ?k=sk-123&", "sk-123", "Invalid key [secret] in ?k=[secret]&"],
  ["risk-1234", "sk-123", "risk-1234"],
  ["cafés, café", "café", "cafés, [secret]"],
  ["every word", "", "every word"],
])("in the text %j, the short secret %j is redacted only as a whole word: %j", (text, secret, left) => {
  expect(redactText(text, secrets(secret))).toBe(left);
});

const NOTATIONS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => Buffer.from(text).toString("hex"),
  (text) => Buffer.from(text).toString("base64"),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => text.replace(/./gsu, (char) => `&#${char.codePointAt(0)};`),
];

/** Draws texts with secrets of any length, in several notations, between words. */
const textWithSecrets = fc
  .array(fc.stringMatching(/^[A-Za-z][A-Za-z0-9+/ -]{0,40}[0-9]$/), { minLength: 1, maxLength: 3 })
  .chain((values) => {
    const parts = fc.array(fc.tuple(fc.constantFrom(...NOTATIONS), fc.constantFrom(...values)), {
      minLength: 1,
      maxLength: 6,
    });
    return parts.map((drawn) => ({
      secrets: secrets(...values),
      text: drawn.map(([write, value]) => `"${write(value)}", `).join("words; "),
    }));
  });

test("the redacted beginning of a text is the beginning of the redacted text, and ends with a whole [secret]", () => {
  fc.assert(
    fc.property(textWithSecrets, fc.nat({ max: 400 }), fc.boolean(), (drawn, length, isLong) => {
      // a text that is not searched as a whole
      const text = isLong ? drawn.text + "and so on; ".repeat(1000) : drawn.text;
      const whole = redactText(text, drawn.secrets);
      const beginning = redactBeginning(text, drawn.secrets, length);
      expect(whole.startsWith(beginning)).toBe(true);
      const rest = whole.slice(beginning.length);
      for (let cut = 1; cut < "[secret]".length; cut++) {
        const isSplit =
          beginning.endsWith("[secret]".slice(0, cut)) && rest.startsWith("[secret]".slice(cut));
        expect(isSplit).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test("no part of a secret remains where the searched part of a peer's text ends, even if blanks are dropped", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z][A-Za-z0-9]{3,40}$/), fc.nat({ max: 40 }), (value, offset) => {
      const text = `${" ".repeat(2000 - Math.min(offset, value.length))}${value}`;
      const shown = shownText(text, secrets(value));
      expect("[secret]".startsWith(shown.replace(/…$/, ""))).toBe(true);
    }),
  );
});

test("text that is similar to a secret is not redacted", () => {
  expect(holdsSecret("the password is hunter22", secrets("hunter22"))).toBe(true);
  expect(holdsSecret("the password is hunter23", secrets("hunter22"))).toBe(false);
});

test("redaction changes the text, the details and the cause of an error, and nothing else", () => {
  const cause = new TypeError("what is hunter22?");
  const error = new ConnectError("no hunter22", Code.NotFound, { "x-a": "b" }, [], cause);
  const violation = { field: "f", description: 'map["hunter22"]' };
  const packed = { type: "x.Y", value: Buffer.from("hunter22"), debug: {} };
  error.details = [
    { desc: ErrorInfoSchema, value: { reason: "R", metadata: { hunter22: "hunter22", other: "kept" } } },
    { desc: BadRequestSchema, value: { fieldViolations: [violation] } },
    packed,
  ];
  const clean = redactError(error, secrets("hunter22"));
  expect([clean.rawMessage, clean.code, clean.metadata.get("x-a")]).toEqual([
    "no [secret]",
    Code.NotFound,
    "b",
  ]);
  expect(clean.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({
    "[secret]": "[secret]",
    other: "kept",
  });
  expect(clean.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.description).toBe('map["[secret]"]');
  expect(clean.details).toHaveLength(2);
  expect(clean.cause).toMatchObject({ name: "TypeError", message: "what is [secret]?" });
  expect((clean.cause as Error).stack).not.toContain("hunter22");
});

test("redaction does not change a detail without secrets", () => {
  const detail = { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { reason: "R" }) };
  expect(redactDetails([detail], secrets("hunter22"))).toEqual([detail]);
});
