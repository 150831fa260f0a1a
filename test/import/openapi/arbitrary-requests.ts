/** Generates request messages that obey the rules of their fields. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { field as checks, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  field as fieldRules,
  oneof as oneofRules,
} from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import { FieldRules_Location as Location } from "connect-rest-runtime/gen/connectrest/v1/field_rules_pb.js";
import { http } from "connect-rest-runtime/gen/google/api/annotations_pb.js";
import { FieldBehavior, field_behavior } from "connect-rest-runtime/gen/google/api/field_behavior_pb.js";
import fc from "fast-check";
import { arbitraryMessage } from "../../support/arbitrary-message.ts";

/** Text that paths, headers and cookies can represent. */
const plainText = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9 _-]{0,6}[a-zA-Z0-9]$/);
const pathText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
  .filter((text) => !/^\.{1,2}$/.test(text));
const text = fc.string({ unit: "grapheme", maxLength: 12 });

/**
 * Generates requests of a method.
 *
 * @param leftOut the fields to leave unset, as `Message.field`, because their types allow more than the
 * document
 * @param contentTypes the media types of the body, for a method that sends bytes
 */
export function arbitraryRequest(
  method: DescMethod,
  leftOut: ReadonlySet<string>,
  contentTypes: readonly string[],
): fc.Arbitrary<Message> {
  const variables = new Set(variablesOf(method));
  const overrides: Record<string, fc.Arbitrary<unknown>> = {};
  const textsOf = new Map<DescField, fc.Arbitrary<string>>();
  for (const each of method.input.fields) {
    const texts = textOf(each, variables);
    if (texts !== text) for (const part of partsOf(each)) textsOf.set(part, texts);
  }
  for (const message of reachable(method.input)) {
    for (const each of message.fields) {
      const key = `${message.typeName}.${each.name}`;
      const found = leftOut.has(key.replace(/^.*?\.v1\./, ""))
        ? fc.constant(undefined)
        : valuesOf(each, textsOf.get(each) ?? text);
      if (found !== undefined) overrides[key] = found;
    }
  }
  const types = contentTypes.length === 0 ? ["application/octet-stream"] : contentTypes;
  overrides["google.api.HttpBody.content_type"] = fc.constantFrom(
    ...types.filter((type) => !type.includes("*")),
    ...(types.every((type) => type.includes("*")) ? ["text/plain"] : []),
  );
  overrides["google.api.HttpBody.extensions"] = fc.constant([]);
  return arbitraryMessage(method.input, overrides, 4, (member) => {
    return member.kind === "field" ? isRequired(member, variables) : hasOption(member, oneofRules);
  });
}

/** Returns the fields that are variables of the path. */
export function variablesOf(method: DescMethod): string[] {
  const { pattern } = getOption(method, http);
  const path = pattern.case === "custom" ? pattern.value.path : (pattern.value ?? "");
  return [...path.matchAll(/\{(\w+)/g)].map(([, name = ""]) => name);
}

/** Returns a field, and the members of its message if a parameter holds the text of one of them. */
function partsOf(field: DescField): readonly DescField[] {
  const union = field.fieldKind === "message" ? field.message : undefined;
  return union?.oneofs.length === 1 ? [field, ...union.fields] : [field];
}

function textOf(field: DescField, variables: ReadonlySet<string>): fc.Arbitrary<string> {
  if (variables.has(field.name)) return pathText;
  const location = getOption(field, fieldRules).in;
  return location === Location.HEADER || location === Location.COOKIE ? plainText : text;
}

function isRequired(field: DescField, variables: ReadonlySet<string>): boolean {
  if (variables.has(field.name)) return true;
  if (getOption(field, field_behavior).includes(FieldBehavior.REQUIRED)) return true;
  return getOption(field, checks).required;
}

/** Returns a message type and all message types of its fields. */
export function reachable(root: DescMessage): ReadonlySet<DescMessage> {
  const found = new Set([root]);
  for (const message of found) {
    for (const each of message.fields) {
      if (
        "message" in each &&
        each.message !== undefined &&
        !each.message.typeName.startsWith("google.protobuf.")
      ) {
        found.add(each.message);
      }
    }
  }
  return found;
}

/** Generates the values of a field; undefined if the default suffices. */
function valuesOf(field: DescField, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> | undefined {
  const rules = getOption(field, checks);
  const isNeeded = getOption(field, field_behavior).includes(FieldBehavior.REQUIRED);
  switch (field.fieldKind) {
    case "scalar":
      return scalarOf(field.scalar, rules, texts);
    case "enum":
      return enumOf(field.enum);
    case "list": {
      const limits = rules.type.case === "repeated" ? rules.type.value : undefined;
      const item =
        field.listKind === "scalar"
          ? scalarOf(field.scalar, limits?.items, texts)
          : field.listKind === "enum"
            ? enumOf(field.enum)
            : undefined;
      if (item === undefined) return undefined;
      const minLength = Math.max(Number(limits?.minItems ?? 0), isNeeded ? 1 : 0);
      const maxLength = Math.min(Number(limits?.maxItems || 3), minLength + 3);
      return limits?.unique === true
        ? fc.uniqueArray(item, { minLength, maxLength })
        : fc.array(item, { minLength, maxLength });
    }
    case "map": {
      const limits = rules.type.case === "map" ? rules.type.value : undefined;
      const value =
        field.mapKind === "scalar"
          ? scalarOf(field.scalar, limits?.values, texts)
          : field.mapKind === "enum"
            ? enumOf(field.enum)
            : undefined;
      if (value === undefined) return undefined;
      const key = fc.stringMatching(/^zz[a-z0-9]{1,4}$/);
      return fc.dictionary(key, value, {
        maxKeys: Math.min(Number(limits?.maxPairs || 3), 3),
        noNullPrototype: true,
      });
    }
    default:
      return undefined;
  }
}

function enumOf({ values }: DescEnum): fc.Arbitrary<number> {
  return fc.constantFrom(...values.map(({ number }) => number).filter((number) => number !== 0));
}

type Rules = FieldRules | undefined;

function scalarOf(
  scalar: ScalarType,
  rules: Rules,
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<unknown> | undefined {
  switch (scalar) {
    case ScalarType.STRING:
      return stringOf(rules, texts);
    case ScalarType.INT32:
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return integerOf(scalar, rules);
    case ScalarType.DOUBLE:
      return doubleOf(rules);
    case ScalarType.BOOL:
      return rules?.type.case === "bool" ? fc.constant(rules.type.value.const) : undefined;
    default:
      return undefined;
  }
}

function stringOf(rules: Rules, texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (rules?.type.case !== "string") return texts;
  const { value } = rules.type;
  if (value.in.length > 0) return fc.constantFrom(...value.in);
  switch (value.wellKnown.case) {
    case "uuid":
      return fc.uuid();
    case "email":
      return fc.constantFrom("a@example.com", "b.c@example.org");
    case "uri":
      return fc.webUrl();
    case "hostname":
      return fc.domain();
    case "ipv4":
      return fc.ipV4();
    case "ipv6":
      return fc.ipV6();
    default:
  }
  const least = Number(value.minLen || value.len);
  const most = Number(value.maxLen || value.len || least + 12);
  if (value.pattern !== "") {
    return fc
      .stringMatching(new RegExp(value.pattern, "u"))
      .filter((each) => [...each].length >= least && [...each].length <= most);
  }
  if (least === 0 && most >= 12) return texts;
  return fc.stringMatching(
    new RegExp(`^[a-z]{${Math.max(least, texts === text ? 0 : 1)},${Math.min(most, least + 12)}}$`),
  );
}

interface Bounds {
  readonly in?: readonly (number | bigint)[];
  readonly const?: number | bigint;
  readonly lessThan: { readonly case: string | undefined; readonly value?: number | bigint | undefined };
  readonly greaterThan: { readonly case: string | undefined; readonly value?: number | bigint | undefined };
}

function boundsOf(rules: Rules): Bounds | undefined {
  const { type } = rules ?? {};
  switch (type?.case) {
    case "int32":
    case "int64":
    case "uint64":
    case "double":
      return type.value;
    default:
      return undefined;
  }
}

function integerOf(scalar: ScalarType, rules: Rules): fc.Arbitrary<unknown> {
  const bounds = boundsOf(rules);
  if (bounds?.in !== undefined && bounds.in.length > 0) return fc.constantFrom(...bounds.in);
  const isBig = scalar !== ScalarType.INT32;
  const size = isBig ? 2n ** 63n : 2n ** 31n;
  const [lower, upper] = [bounds?.greaterThan, bounds?.lessThan];
  const least =
    lower?.value === undefined
      ? scalar === ScalarType.UINT64
        ? 0n
        : -size
      : BigInt(lower.value) + (lower.case === "gt" ? 1n : 0n);
  const most = upper?.value === undefined ? size - 1n : BigInt(upper.value) - (upper.case === "lt" ? 1n : 0n);
  return fc.bigInt(least, most < least ? least : most).map((value) => (isBig ? value : Number(value)));
}

function doubleOf(rules: Rules): fc.Arbitrary<number> {
  const bounds = boundsOf(rules);
  const lower = bounds?.greaterThan.value;
  const upper = bounds?.lessThan.value;
  return fc
    .double({
      noNaN: true,
      noDefaultInfinity: true,
      ...(lower === undefined ? {} : { min: Number(lower) }),
      ...(upper === undefined ? {} : { max: Number(upper) }),
    })
    .map((value) => (Object.is(value, -0) ? 0 : value));
}
