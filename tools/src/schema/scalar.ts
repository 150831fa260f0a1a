import { type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { type Constraint, type JsonSchema, UNCONSTRAINED } from "./json-schema.ts";
import { floatConstraint, integerConstraint, longConstraint, zeroBreaks } from "./number-rules.ts";
import { emptyBreaks, stringConstraint } from "./string-rules.ts";

/** A scalar type in ProtoJSON, and how rules of protovalidate bear on it. */
interface ScalarKind {
  readonly schema: JsonSchema;
  /** As it is printed, which may be more than a sender should write. */
  readonly printed: JsonSchema;
  readonly constraint: (rules: JsonObject) => Constraint;
  /** Whether the zero value breaks the rules. */
  readonly zeroBreaks: (rules: JsonObject) => boolean;
  /** What keeps the zero value out. */
  readonly notZero: JsonSchema;
}

const INT32 = integer(-(2 ** 31), 2 ** 31 - 1);
const UINT32 = integer(0, 2 ** 32 - 1);
const INT64 = long("^-?[0-9]+$");
const UINT64 = long("^[0-9]+$");
const FLOAT: ScalarKind = {
  schema: { type: "number" },
  printed: { anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }] },
  constraint: floatConstraint,
  zeroBreaks,
  notZero: { not: { const: 0 } },
};

const KINDS: Readonly<Record<ScalarType, ScalarKind>> = {
  [ScalarType.DOUBLE]: FLOAT,
  [ScalarType.FLOAT]: FLOAT,
  [ScalarType.INT64]: INT64,
  [ScalarType.UINT64]: UINT64,
  [ScalarType.INT32]: INT32,
  [ScalarType.FIXED64]: UINT64,
  [ScalarType.FIXED32]: UINT32,
  [ScalarType.UINT32]: UINT32,
  [ScalarType.SFIXED32]: INT32,
  [ScalarType.SFIXED64]: INT64,
  [ScalarType.SINT32]: INT32,
  [ScalarType.SINT64]: INT64,
  [ScalarType.BOOL]: {
    schema: { type: "boolean" },
    printed: { type: "boolean" },
    constraint: (rules) =>
      rules.const === undefined ? UNCONSTRAINED : { keywords: { const: rules.const === true }, hints: [] },
    zeroBreaks: (rules) => rules.const === true,
    notZero: { const: true },
  },
  [ScalarType.STRING]: {
    schema: { type: "string" },
    printed: { type: "string" },
    constraint: stringConstraint,
    zeroBreaks: emptyBreaks,
    notZero: { minLength: 1 },
  },
  [ScalarType.BYTES]: {
    schema: { type: "string", contentEncoding: "base64" },
    printed: { type: "string", contentEncoding: "base64" },
    // lengths of bytes are not lengths of their text
    constraint: () => UNCONSTRAINED,
    zeroBreaks: ({ len, minLen }) => Number(len ?? minLen ?? 0) > 0,
    notZero: { minLength: 1 },
  },
};

export function scalarKind(type: ScalarType): ScalarKind {
  return KINDS[type];
}

/** The member of buf.validate.FieldRules with the rules of a scalar type: `int32`. */
export function ruleName(type: ScalarType): string {
  return ScalarType[type].toLowerCase();
}

function integer(least: number, most: number): ScalarKind {
  return {
    schema: { type: "integer" },
    printed: { type: "integer", minimum: least, maximum: most },
    constraint: (rules) => integerConstraint(rules, least, most),
    zeroBreaks,
    notZero: { not: { const: 0 } },
  };
}

function long(pattern: string): ScalarKind {
  return {
    schema: { type: "string", pattern },
    printed: { type: "string", pattern },
    constraint: longConstraint,
    zeroBreaks,
    notZero: { not: { const: "0" } },
  };
}
