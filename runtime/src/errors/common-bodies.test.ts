import { create } from "@bufbuild/protobuf";
import type { JsonObject, JsonValue } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ErrorShape } from "../adapter/rules.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";
import { COMMON_BODIES } from "./common-bodies.ts";
import { readErrorBody } from "./error-body.ts";
import type { ErrorReport } from "./error-report.ts";
import { requestFields } from "./request-fields.ts";

/** A generated body, and the report that reading it must return. */
interface Member {
  readonly body: JsonValue;
  readonly text: string;
  readonly subcode?: string;
  /** The request fields that the body names, with the descriptions of their errors. */
  readonly fields?: ReadonlyArray<readonly [field: string, description: string]>;
}

const text = fc.stringMatching(/^[A-Z][a-z]{2,8} [a-z]{2,8}[.!]?$/);
const word = fc.stringMatching(/^[a-z]{3,8}_[a-z]{3,8}$/);
const name = fc.stringMatching(/^[a-z]{3,8}[A-Z][a-z]{2,5}$/);

/** Generators of bodies, by kind. */
const MEMBERS: Readonly<Record<string, ReadonlyArray<(texts: Texts) => Member>>> = {
  "`google.rpc.Status` and Connect": [
    ({ a }) => ({ body: { error: { code: 409, status: "ABORTED", message: a } }, text: a }),
    ({ a }) => ({ body: { code: "aborted", message: a }, text: a }),
    ({ a, b, f }) => ({
      body: {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: a,
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [{ field: f, description: b }],
            },
          ],
        },
      },
      text: a,
      fields: [[f, b]],
    }),
  ],
  "Problem details (RFC 9457)": [
    ({ a, b, w }) => ({
      body: { type: `https://a.test/${w}`, title: a, detail: b, instance: "/x" },
      text: `${a}: ${b}`,
      subcode: `https://a.test/${w}`,
    }),
    ({ a }) => ({ body: { type: "about:blank", title: "Not Found", status: 404, detail: a }, text: a }),
    ({ a }) => ({ body: { title: a, status: 404 }, text: a }),
    ({ a, b, f, g }) => ({
      body: { title: a, status: 400, errors: [{ detail: b, pointer: `#/${f}/0/${g}` }] },
      text: `${a}: ${f}[0].${g}: ${b}`,
      fields: [[`${f}[0].${g}`, b]],
    }),
    ({ a, b, c, f }) => ({
      body: { title: a, status: 400, errors: { [f]: [b, c] } },
      text: `${a}: ${f}: ${b}; ${f}: ${c}`,
      fields: [
        [f, b],
        [f, c],
      ],
    }),
    ({ a, b, f }) => ({
      body: { title: a, status: 400, "invalid-params": [{ name: f, reason: b }] },
      text: `${a}: ${f}: ${b}`,
      fields: [[f, b]],
    }),
  ],
  FastAPI: [
    ({ a, b, f, g, w }) => ({
      body: {
        detail: [
          { loc: ["body", f], msg: a, type: w },
          { loc: ["query", g, 3, f], msg: b, type: "other_kind" },
        ],
      },
      text: `${f}: ${a}; ${g}[3].${f}: ${b}`,
      subcode: w,
      fields: [
        [f, a],
        [`${g}[3].${f}`, b],
      ],
    }),
  ],
  "Lists and maps of errors: JSON:API, GraphQL, GitHub, Rails, Shopify, Laravel, Jira": [
    ({ a, b, f, w }) => ({
      body: { errors: [{ status: "422", code: w, title: a, detail: b, source: { pointer: `/data/${f}` } }] },
      text: `data.${f}: ${a}: ${b}`,
      subcode: w,
      fields: [[`data.${f}`, `${a}: ${b}`]],
    }),
    ({ a, b, f, w }) => ({
      body: {
        data: null,
        errors: [{ message: a, path: [f, 0], extensions: { code: w } }, { message: b }],
      },
      text: `${a}; ${b}`,
      subcode: w,
    }),
    ({ a, f, w }) => ({
      body: { message: a, errors: [{ resource: "Issue", field: f, code: w }] },
      text: `${a}: ${f}: ${w}`,
      subcode: w,
      fields: [[f, w]],
    }),
    ({ a, b, f, g }) => ({
      body: { errors: { [f]: [a], [g]: b } },
      text: f === g ? `${f}: ${b}` : `${f}: ${a}; ${g}: ${b}`,
      fields:
        f === g
          ? [[f, b]]
          : [
              [f, a],
              [g, b],
            ],
    }),
    ({ a, b, f }) => ({
      body: { message: a, errors: { [f]: [b] } },
      text: `${a}: ${f}: ${b}`,
      fields: [[f, b]],
    }),
    ({ a, b, f }) => ({
      body: { errorMessages: [a], errors: { [f]: b } },
      text: `${a}: ${f}: ${b}`,
      fields: [[f, b]],
    }),
    ({ a }) => ({ body: { errors: a }, text: a }),
    ({ a, b }) => ({ body: { errors: [a, b] }, text: `${a}; ${b}` }),
  ],
  "An object below `error`: Stripe, Azure": [
    ({ a, f, w }) => ({
      body: { error: { message: a, type: "card_error", code: w, param: f } },
      text: `${f}: ${a}`,
      subcode: w,
      fields: [[f, a]],
    }),
    ({ a, w }) => ({ body: { error: { message: a, type: w } }, text: a, subcode: w }),
    ({ a, b, f, w }) => ({
      body: { error: { code: w, message: a, details: [{ code: "Null", target: f, message: b }] } },
      text: `${a}: ${f}: ${b}`,
      subcode: w,
      fields: [[f, b]],
    }),
  ],
  "OAuth 2 (RFC 6749), Spring, NestJS": [
    ({ a, w }) => ({ body: { error: w, error_description: a }, text: `${w}: ${a}`, subcode: w }),
    ({ w }) => ({ body: { error: w }, text: w, subcode: w }),
    ({ a }) => ({ body: { status: 400, error: "Bad Request", message: a, path: "/x" }, text: a }),
    ({ a, b }) => ({
      body: { error: "Forbidden", message: [a, b] },
      text: `${a}; ${b}`,
      subcode: "Forbidden",
    }),
  ],
  AWS: [
    ({ a, w }) => ({ body: { __type: `com.amazon.coral#${w}`, message: a }, text: a, subcode: w }),
    ({ a, w }) => ({ body: { __type: `${w}:http://x.test/`, Message: a }, text: a, subcode: w }),
    ({ w }) => ({ body: { __type: w }, text: w, subcode: w }),
    ({ a, w }) => ({ body: { Type: "User", Code: w, Message: a }, text: a, subcode: w }),
    ({ a, w }) => ({ body: { Error: { Type: "Sender", Code: w, Message: a } }, text: a, subcode: w }),
  ],
  "A string at `message`, `error` or `detail`": [
    ({ a }) => ({ body: { message: a, more_info: "https://a.test" }, text: a }),
    ({ a, w }) => ({ body: { code: w, message: a }, text: a, subcode: w }),
    ({ a }) => ({ body: { error: true, message: a }, text: a }),
    ({ a }) => ({ body: { error: a }, text: a }),
    ({ a }) => ({ body: { detail: a }, text: a }),
  ],
  "Lists of strings by field: Django": [
    ({ a, b, f }) => ({
      body: { [f]: [a, b] },
      text: `${f}: ${a}; ${f}: ${b}`,
      fields: [
        [f, a],
        [f, b],
      ],
    }),
  ],
  "A text": [({ a }) => ({ body: a, text: a })],
};

interface Texts {
  readonly a: string;
  readonly b: string;
  readonly c: string;
  readonly f: string;
  readonly g: string;
  readonly w: string;
}
const texts = fc
  .record({ a: text, b: text, c: text, f: name, g: name, w: word })
  .filter(({ a, b, c }) => new Set([a, b, c]).size === 3);

function fieldsOf({ details = [] }: ErrorReport) {
  return details.flatMap((detail) => {
    if ("type" in detail || detail.desc.typeName !== BadRequestSchema.typeName) return [];
    const { fieldViolations } = create(BadRequestSchema, detail.value);
    return fieldViolations.map(({ field, description }) => [field, description]);
  });
}

test.each(COMMON_BODIES.map(({ name }) => name))("bodies of the kind %s are read without a rule", (kind) => {
  const members = MEMBERS[kind] ?? [];
  expect(members).not.toEqual([]);
  fc.assert(
    fc.property(fc.constantFrom(...members), texts, (make, given) => {
      const { body, text, subcode, fields = [] } = make(given);
      const report = readErrorBody(body, []);
      expect([report.text, report.subcode, fieldsOf(report)]).toEqual([text, subcode, fields]);
    }),
    { numRuns: 200 },
  );
});

/** Bodies that have their code under a key of the generated object `own`, by the format of the body. */
const CODED: Readonly<Record<string, (own: JsonObject, texts: Texts) => JsonValue>> = {
  "problem details": (own, { a, b }) => ({ title: a, detail: b, ...own }),
  "a list of errors": (own, { a, f }) => ({ errors: [{ message: a, field: f, ...own }] }),
  "a tree of errors": (own, { a, f }) => ({ errors: { [f]: [{ message: a, ...own }] } }),
  "a list of errors, with a code of the whole error": (own, { a, b }) => ({
    message: a,
    errors: [{ message: b }],
    ...own,
  }),
  "texts of the whole error": (own, { a }) => ({ errorMessages: [a], errors: {}, ...own }),
  "an object below error": (own, { a }) => ({ error: { message: a, ...own } }),
  "a reason phrase next to a text": (own, { a }) => ({ error: "Bad Request", message: a, ...own }),
  "a flat body": (own, { a }) => ({ message: a, ...own }),
};

test.each(Object.keys(CODED))("the code of %s is found under each of the common keys", (format) => {
  const codes = fc.oneof(word, fc.integer({ min: 1, max: 99999 }));
  const keys = fc.constantFrom("code", "error_code", "errorCode", "extensions.code", "type");
  fc.assert(
    fc.property(keys, codes, texts, (key, code, given) => {
      const own = key.split(".").reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), code);
      const body = CODED[format]?.(own as JsonObject, given) ?? null;
      expect(readErrorBody(body, []).subcode).toBe(String(code));
    }),
    { numRuns: 100 },
  );
});

test("each example of a common body is recognized by its own row of the table", () => {
  for (const { name, examples } of COMMON_BODIES) {
    for (const example of examples) {
      const fields = requestFields(undefined);
      const found = COMMON_BODIES.find(({ read }) => (read(example, fields)?.text ?? "") !== "");
      expect([JSON.stringify(example), found?.name]).toEqual([JSON.stringify(example), name]);
    }
  }
});

test("rules take precedence over the common bodies, which only provide a message that the rules do not find", () => {
  const rule: readonly ErrorShape[] = [{ kind: "items", path: "why", title: "t", code: "c", detail: "d" }];
  const every = Object.values(MEMBERS).flat();
  fc.assert(
    fc.property(fc.constantFrom(...every), texts, (make, given) => {
      const { body, text } = make(given);
      if (typeof body === "object" && body !== null && !("title" in body && "isbn" in body)) {
        const why = { t: "Own text", c: "own" };
        expect(readErrorBody({ ...body, why } as JsonValue, rule)).toEqual({
          text: "Own text",
          subcode: "own",
        });
      }
      expect(readErrorBody(body, rule)).toEqual({ text });
    }),
  );
});

test("the envelope takes precedence over the common bodies, and its message is the last fallback", () => {
  const envelope = { payload: ["response"], errors: "errors", message: "meta.msg" };
  const body = { message: "Common", errors: [{ detail: "Own" }], meta: { msg: "Last" } };
  expect(readErrorBody(body, [], envelope)).toMatchObject({ text: "Own" });
  expect(readErrorBody({ ...body, errors: [] }, [], envelope)).toMatchObject({ text: "Common" });
  expect(readErrorBody({ meta: body.meta }, [], envelope)).toMatchObject({ text: "Last" });
});

test("an array is read as a list of errors, or otherwise by its first item", () => {
  expect(readErrorBody([{ message: "No", errorCode: "GONE" }], [])).toMatchObject({ text: "No" });
  expect(readErrorBody(["No", "Never"], [])).toMatchObject({ text: "No; Never" });
});
