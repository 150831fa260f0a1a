import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  AnySchema,
  BytesValueSchema,
  DoubleValueSchema,
  Int64ValueSchema,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  UInt64ValueSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  LocalizedMessageSchema,
} from "../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../gen/google/rpc/status_pb.ts";
import { Secret } from "../text/secret.ts";
import { STANDARD_TYPES } from "./known-types.ts";
import { redactDetails } from "./redact.ts";
import type { ErrorDetail } from "./rest-error.ts";

const known = <D extends DescMessage>(desc: D, value: MessageInitShape<D>): ErrorDetail => ({
  desc,
  value: create(desc, value),
});
const bytesOf = (detail: ErrorDetail) =>
  "type" in detail ? detail.value : toBinary(detail.desc, create(detail.desc, detail.value));
const typeOf = (detail: ErrorDetail) => ("type" in detail ? detail.type : detail.desc.typeName);
const packed = (detail: ErrorDetail) =>
  create(AnySchema, { typeUrl: `type.googleapis.com/${typeOf(detail)}`, value: bytesOf(detail) });

/** Functions that create details with a string. */
const TEXTS: readonly ((text: string) => ErrorDetail)[] = [
  (text) => known(StringValueSchema, { value: text }),
  (text) => known(BytesValueSchema, { value: Buffer.from(text) }),
  (text) => known(LocalizedMessageSchema, { locale: "en", message: text }),
  (text) => known(ErrorInfoSchema, { reason: "R", metadata: { [text]: "a" } }),
  (text) => known(BadRequestSchema, { fieldViolations: [{ field: "f" }, { description: text }] }),
  (text) => known(StructSchema, { fields: { a: { kind: { case: "stringValue", value: text } } } }),
  (text) => known(StructSchema, { fields: { [text]: { kind: { case: "boolValue", value: true } } } }),
];

/** Functions that create details with a number. */
const NUMBERS: readonly ((digits: string) => ErrorDetail)[] = [
  (digits) => known(Int64ValueSchema, { value: BigInt(digits) }),
  (digits) => known(UInt64ValueSchema, { value: BigInt(digits) }),
  (digits) => known(DoubleValueSchema, { value: Number(digits) }),
  (digits) => known(ValueSchema, { kind: { case: "numberValue", value: Number(digits) } }),
  (digits) =>
    known(StructSchema, { fields: { a: { kind: { case: "numberValue", value: Number(digits) } } } }),
  (digits) => known(ListValueSchema, { values: [{ kind: { case: "numberValue", value: Number(digits) } }] }),
];

/** Functions that wrap a detail in another detail. */
const AROUND: readonly ((detail: ErrorDetail) => ErrorDetail)[] = [
  (detail) => detail,
  (detail) => known(StatusSchema, { code: 3, details: [packed(detail)] }),
  (detail) => known(BytesValueSchema, { value: bytesOf(detail) }),
  (detail) => ({ type: "unknown.Type", value: bytesOf(detail) }),
  (detail) => known(StatusSchema, { details: [{ typeUrl: "x/unknown.Type", value: bytesOf(detail) }] }),
  // a field that the message type does not declare
  (detail) => ({
    desc: ErrorInfoSchema,
    value: fromBinary(
      ErrorInfoSchema,
      new BinaryWriter().tag(127, WireType.LengthDelimited).bytes(bytesOf(detail)).finish(),
    ),
  }),
];

/** Returns all text that a caller can read in a detail. */
function readable(detail: ErrorDetail | undefined): string {
  if (detail === undefined) return "";
  const bytes = bytesOf(detail);
  const json =
    "type" in detail || detail.desc === StatusSchema
      ? ""
      : JSON.stringify(toJson(detail.desc, create(detail.desc, detail.value), { registry: STANDARD_TYPES }));
  return `${json}\n${Buffer.from(bytes).toString("latin1")}`;
}

const around = fc.constantFrom(...AROUND);

test("a secret is redacted in the strings of every kind of detail, even in long strings", () => {
  const secrets = fc.stringMatching(/^[A-Za-z][a-z0-9]{2,30}[0-9]$/);
  const rest = fc
    .string({ unit: fc.constantFrom("not", "right", " "), maxLength: 120 })
    .map((text) => ` ${text}`);
  fc.assert(
    fc.property(secrets, rest, fc.constantFrom(...TEXTS), around, (secret, behind, text, wrap) => {
      const [clean] = redactDetails([wrap(text(`${secret}${behind}`))], [new Secret(secret)]);
      expect(readable(clean)).not.toContain(secret);
    }),
    { numRuns: 500 },
  );
});

test("a secret that consists of digits is redacted in every number of a detail", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{5,17}$/);
  fc.assert(
    fc.property(digits, fc.constantFrom(...NUMBERS), around, (drawn, number, wrap) => {
      const secret = Number.isSafeInteger(Number(drawn)) ? drawn : drawn.slice(0, 15);
      const [clean] = redactDetails([wrap(number(secret))], [new Secret(secret)]);
      if (clean === undefined) return;
      expect(Buffer.from(bytesOf(clean)).includes(Buffer.from(bytesOf(number(secret))))).toBe(false);
      expect(readable(clean)).not.toContain(secret);
    }),
    { numRuns: 500 },
  );
});

test("a detail without a secret is not changed", () => {
  const details = fc.oneof(
    fc.tuple(fc.constantFrom(...TEXTS), fc.stringMatching(/^[a-z ]{0,100}$/)),
    fc.tuple(fc.constantFrom(...NUMBERS), fc.stringMatching(/^[1-9][0-9]{0,9}$/)),
  );
  fc.assert(
    fc.property(details, around, ([make, text], wrap) => {
      const detail = wrap(make(text));
      expect(redactDetails([detail], [new Secret("Zq7-canary-91"), new Secret("Q5")])[0]).toBe(detail);
    }),
  );
});

/** Returns the least CPU time of five runs, in microseconds. Each run gets new secrets, without caches. */
function costOf(details: readonly ErrorDetail[], values: readonly string[]): number {
  const costs = Array.from({ length: 5 }, () => {
    const secrets = values.map((value) => new Secret(value));
    const { user } = process.cpuUsage();
    redactDetails(details, secrets);
    return process.cpuUsage().user - user;
  });
  return Math.max(500, Math.min(...costs));
}

test.each(["none of them", "all of them"])(
  "many details cost little more than one detail, if %s have a secret",
  (which) => {
    const values = Array.from({ length: 100 }, (_, at) => `key-${at}-${"Zq7".repeat(at % 20)}`);
    const said = which === "none of them" ? "the name is wrong" : values[7];
    const details = Array.from({ length: 40 }, (_, at) => ({
      desc: ErrorInfoSchema,
      value: { reason: "WRONG", metadata: { [`name_${at}`]: `${said}` } },
    }));
    costOf(details, values);
    // the quotient would be about 40 if each detail were searched separately
    expect(costOf(details, values) / costOf(details.slice(0, 1), values)).toBeLessThan(12);
    const redacted = redactDetails(
      details,
      values.map((value) => new Secret(value)),
    );
    expect(redacted.map(readable).join()).not.toContain(values[7]);
    expect(redacted).toHaveLength(40);
  },
);
