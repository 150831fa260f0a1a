import { create, createFileRegistry, type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  AnySchema,
  anyPack,
  DurationSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  StructSchema,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import { type TimeRule, typesOfFiles, withTypes } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { spanText, timeText } from "../request/time-text.ts";
import { redactText } from "./redact.ts";
import { redactedValues } from "./redacted-fields.ts";

const TYPES = ["Timestamp", "Duration", "Any", "Struct"] as const;

/**
 * Returns a message with a field of the given type. The options of the field are encoded
 * connectrest.v1.FieldRules.
 */
function messageWith(
  type: string,
  rules: Uint8Array,
  label = FieldDescriptorProto_Label.OPTIONAL,
): DescMessage {
  const options = create(FieldOptionsSchema);
  const data = new BinaryWriter().bytes(rules).finish();
  options.$unknown = [{ no: 50871, wireType: WireType.LengthDelimited, data }];
  const field = {
    name: "field",
    number: 1,
    label,
    type: FieldDescriptorProto_Type.MESSAGE,
    typeName: `.google.protobuf.${type}`,
    options,
  };
  const wellKnown = [
    file_google_protobuf_any,
    file_google_protobuf_duration,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
  ];
  const file = create(FileDescriptorProtoSchema, {
    name: "a.proto",
    package: "a",
    syntax: "proto3",
    dependency: wellKnown.map((each) => each.proto.name),
    messageType: [{ name: "M", field: [field] }],
  });
  const registry = createFileRegistry(
    file,
    (name) => wellKnown.find((each) => each.proto.name === name)?.proto,
  );
  const desc = registry.getMessage("a.M");
  if (desc === undefined) throw new Error("a.M is missing");
  return desc;
}

const redact = () => new BinaryWriter().tag(9, WireType.Varint).bool(true);

/** The numbers of the enum values of connectrest.v1.Time.Unit. */
const UNITS = { seconds: 1, millis: 2, micros: 3, iso8601: 4, http_date: 6, rfc2822: 7, nanos: 8 } as const;

function timeRules(rule: TimeRule): Uint8Array {
  const time =
    typeof rule === "object"
      ? new BinaryWriter()
          .tag(1, WireType.Varint)
          .int32(5)
          .tag(2, WireType.LengthDelimited)
          .string(rule.pattern)
      : new BinaryWriter().tag(1, WireType.Varint).int32(UNITS[rule]);
  return redact().tag(6, WireType.LengthDelimited).bytes(time.finish()).finish();
}

const redacted = (desc: DescMessage, json: JsonObject, text: string) =>
  redactText(text, redactedValues(desc, fromJson(desc, json)));

const seconds = fc.bigInt({ min: -62_135_596_800n, max: 253_000_000_000n });
const nanos = fc.oneof(
  fc.constant(0),
  fc.nat(999).map((count) => count * 1_000_000),
  fc.nat(999_999_999),
);

test("a redacted time does not appear in an error in any notation that a request or response may use", () => {
  const parts = fc.constantFrom("YYYY", "MM/YYYY", "DD.MM.YYYY", "YYYYMMDD HH", "YYYYMMDDHHmmss");
  const rule = fc.oneof(
    fc.constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[])),
    parts.map((pattern): TimeRule => ({ pattern: `t ${pattern}` })),
  );
  const others = fc.constantFrom<TimeRule>(
    "seconds",
    "millis",
    "micros",
    "nanos",
    "iso8601",
    "rfc2822",
    "http_date",
  );
  const rounding = fc.constantFrom("down", "up");
  fc.assert(
    fc.property(seconds, nanos, rule, others, rounding, (whole, part, own, other, round) => {
      const time = create(TimestampSchema, { seconds: whole, nanos: part });
      const desc = messageWith("Timestamp", timeRules(own));
      const message = reflect(desc);
      const field = desc.fields[0];
      if (field === undefined) throw new Error("no field");
      message.set(field, reflect(TimestampSchema, time));
      const secrets = redactedValues(desc, message.message);
      for (const text of [timeText(time, own, round), timeText(time, other, "down")]) {
        expect(redactText(`bad time: ${text} is wrong`, secrets)).toMatch(
          /^bad time: ?-?\[secret\] is wrong$/,
        );
      }
    }),
  );
});

test("a redacted duration does not appear in an error in any notation that a response may use", () => {
  const desc = messageWith("Duration", redact().finish());
  const rule = fc.constantFrom("seconds", "millis", "micros", "nanos", "iso8601");
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 315_575_999_999n }),
      nanos,
      fc.boolean(),
      rule,
      (whole, part, minus, unit) => {
        const span = create(DurationSchema, { seconds: minus ? -whole : whole, nanos: minus ? -part : part });
        const field = desc.fields[0];
        const message = reflect(desc);
        if (field === undefined) throw new Error("no field");
        message.set(field, reflect(DurationSchema, span));
        const text = `bad span: ${spanText(span, unit as "seconds")} is wrong`;
        expect(redactText(text, redactedValues(desc, message.message))).toMatch(
          /^bad span: ?-?\[secret\] is wrong$/,
        );
      },
    ),
  );
});

test("no string and no number of a redacted google.protobuf.Any or Struct appears in an error", () => {
  const text = fc.stringMatching(/^[a-z]{4,30}$/);
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(fc.constantFrom(...TYPES.slice(2)), text, number, (type, word, count) => {
      fc.pre(count !== 0);
      const inner = fromJson(StructSchema, { a: [{ b: `${word}-1`, [`${word}-2`]: count }] });
      const desc = messageWith(type, redact().finish());
      const field = desc.fields[0];
      const message = reflect(desc);
      if (field === undefined) throw new Error("no field");
      message.set(
        field,
        type === "Any" ? reflect(AnySchema, anyPack(StructSchema, inner)) : reflect(StructSchema, inner),
      );
      const secrets = withTypes(typesOfFiles([]), () => redactedValues(desc, message.message));
      const plain = count.toLocaleString("en", { useGrouping: false, maximumSignificantDigits: 17 });
      for (const part of [
        `${word}-1`,
        `${word}-2`,
        JSON.stringify(count),
        ...(Number(plain) === count ? [String(count)] : []),
      ]) {
        expect(redactText(`wrong (${part})`, secrets)).toMatch(/^wrong \(-?\[secret\]\)$/);
      }
    }),
  );
});

test("a message without marked fields has no redacted values", () => {
  expect(
    redacted(
      messageWith("Timestamp", new Uint8Array()),
      { field: "1984-03-05T06:07:08Z" },
      "1984-03-05T06:07:08Z",
    ),
  ).toBe("1984-03-05T06:07:08Z");
});

test("a time that is out of range is redacted as a number of seconds", () => {
  const desc = messageWith("Timestamp", redact().finish());
  const message = reflect(desc);
  const field = desc.fields[0];
  if (field === undefined) throw new Error("no field");
  message.set(field, reflect(TimestampSchema, create(TimestampSchema, { seconds: 987_654_321_012n })));
  expect(redactText("at 987654321012", redactedValues(desc, message.message))).toBe("at [secret]");
});
