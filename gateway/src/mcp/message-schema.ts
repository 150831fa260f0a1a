import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, FieldDescriptorProto_Label } from "@bufbuild/protobuf/wkt";
import type { FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  exclusiveFields,
  isOneofRequired,
  type KnownRules,
  knownRules,
  rulesOf,
  ruleTexts,
  setRules,
  withScalarRules,
  zeroOf,
} from "./field-rules.ts";
import { accepts, both, type JsonSchema } from "./json-schema.ts";

/** Comments of `.proto` files by the full names of their elements. */
export type Comments = ReadonlyMap<string, string>;

export interface SchemaOptions {
  readonly comments: Comments;
  /**
   * Whether the schema has the protovalidate rules, which requests must satisfy. Nothing checks them in
   * responses.
   */
  readonly hasRules: boolean;
}

/** Returns the schema of the ProtoJSON of a message, with the schemas of other messages in `$defs`. */
export function messageSchema(desc: DescMessage, options: SchemaOptions): JsonSchema {
  const builder = new Builder(options);
  const schema = builder.message(desc, options.hasRules);
  const defs = builder.defs();
  return Object.keys(defs).length === 0 ? schema : { ...schema, $defs: defs };
}

const INT32 = { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const UINT32 = { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 };
const INT64 = { type: "string", pattern: "^-?[0-9]{1,19}$" };
const UINT64 = { type: "string", pattern: "^[0-9]{1,20}$" };
const FLOAT = { anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity", "-Infinity"] }] };

const SCALARS: Readonly<Record<ScalarType, JsonSchema>> = {
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BYTES]: { type: "string", contentEncoding: "base64" },
  [ScalarType.FLOAT]: FLOAT,
  [ScalarType.DOUBLE]: FLOAT,
  [ScalarType.INT32]: INT32,
  [ScalarType.SINT32]: INT32,
  [ScalarType.SFIXED32]: INT32,
  [ScalarType.UINT32]: UINT32,
  [ScalarType.FIXED32]: UINT32,
  [ScalarType.INT64]: INT64,
  [ScalarType.SINT64]: INT64,
  [ScalarType.SFIXED64]: INT64,
  [ScalarType.UINT64]: UINT64,
  [ScalarType.FIXED64]: UINT64,
};

/** The well-known types whose ProtoJSON is special. Wrappers have the schema of their value. */
const WELL_KNOWN: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string", description: "Names of fields, separated by commas." }],
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.Value", {}],
  ["google.protobuf.ListValue", { type: "array" }],
  ["google.protobuf.Any", { type: "object", properties: { "@type": { type: "string" } } }],
]);

const WRAPPER = /^google\.protobuf\.(?:Bool|Bytes|Double|Float|Int32|Int64|String|UInt32|UInt64)Value$/;

class Builder {
  private readonly options: SchemaOptions;
  private readonly types = new Map<string, JsonSchema | undefined>();

  constructor(options: SchemaOptions) {
    this.options = options;
  }

  defs(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.types].map(([name, schema]) => [name, schema ?? {}]));
  }

  /** Returns the schema of a message itself, without a reference. */
  message(desc: DescMessage, hasRules: boolean): JsonSchema {
    const wellKnown = WELL_KNOWN.get(desc.typeName);
    if (wellKnown !== undefined) return wellKnown;
    const [value] = desc.fields;
    if (WRAPPER.test(desc.typeName) && value?.fieldKind === "scalar") return SCALARS[value.scalar];
    const fields = desc.fields.map((field) => {
      const known = hasRules ? rulesOf(field) : knownRules(undefined);
      const schema = this.field(field, known, hasRules);
      return { field, schema, isRequired: isRequired(field, schema, known) };
    });
    const required = fields.filter(({ isRequired }) => isRequired).map(({ field }) => field.jsonName);
    const isExtendable = desc.proto.extensionRange.length > 0;
    return {
      ...this.described(desc.typeName),
      type: "object",
      properties: Object.fromEntries(
        fields.map(({ field, schema }) => [
          field.jsonName,
          {
            ...schema,
            ...this.described(`${desc.typeName}.${field.name}`, hasRules ? ruleTexts(field) : []),
          },
        ]),
      ),
      ...(required.length > 0 && { required }),
      ...groupsSchema(desc, hasRules),
      ...(!isExtendable && { additionalProperties: false }),
    };
  }

  private field(field: DescField, known: KnownRules, hasRules: boolean): JsonSchema {
    const { type } = known.rules ?? {};
    if (field.fieldKind === "list") {
      const {
        items,
        minItems = 0n,
        maxItems = 0n,
        unique = false,
      } = type?.case === "repeated" ? type.value : {};
      const isScalar = field.listKind !== "message";
      return {
        type: "array",
        items: this.value(field, items, hasRules && !known.isIgnored),
        ...(minItems > 0n && !known.ignoresZero && { minItems: Number(minItems) }),
        ...(maxItems > 0n && { maxItems: Number(maxItems) }),
        ...(unique && isScalar && { uniqueItems: true }),
      };
    }
    if (field.fieldKind === "map") {
      const { keys, values, minPairs = 0n, maxPairs = 0n } = type?.case === "map" ? type.value : {};
      return {
        type: "object",
        propertyNames: keySchema(field.mapKey, keys),
        additionalProperties: this.value(field, values, hasRules && !known.isIgnored),
        ...(minPairs > 0n && !known.ignoresZero && { minProperties: Number(minPairs) }),
        ...(maxPairs > 0n && { maxProperties: Number(maxPairs) }),
      };
    }
    return this.checked(field, known, hasRules);
  }

  private value(
    field: DescField & { readonly fieldKind: "list" | "map" },
    rules: FieldRules | undefined,
    hasRules: boolean,
  ): JsonSchema {
    return this.checked(field, knownRules(hasRules ? rules : undefined), hasRules);
  }

  /** Returns the schema of one value of a field. */
  private checked(
    { scalar, message, enum: desc }: DescField,
    known: KnownRules,
    hasRules: boolean,
  ): JsonSchema {
    if (scalar !== undefined) return withScalarRules(SCALARS[scalar], scalar, known);
    if (desc !== undefined) return this.enum(desc, known);
    if (message === undefined) return {};
    const [inner] = message.fields;
    if (WRAPPER.test(message.typeName) && inner?.fieldKind === "scalar") {
      return withScalarRules(SCALARS[inner.scalar], inner.scalar, known);
    }
    const wellKnown = WELL_KNOWN.get(message.typeName);
    return wellKnown ?? this.reference(message, hasRules && !known.isIgnored);
  }

  private reference(desc: DescMessage, hasRules: boolean): JsonSchema {
    const name = hasRules || !this.options.hasRules ? desc.typeName : `${desc.typeName}.unchecked`;
    if (!this.types.has(name)) {
      this.types.set(name, undefined);
      this.types.set(name, this.message(desc, hasRules));
    }
    return { $ref: `#/$defs/${name}` };
  }

  private enum(desc: DescEnum, { rules, ignoresZero }: KnownRules): JsonSchema {
    if (desc.typeName === "google.protobuf.NullValue") return {};
    if (!this.types.has(desc.typeName)) this.types.set(desc.typeName, this.names(desc));
    const reference: JsonSchema = { $ref: `#/$defs/${desc.typeName}` };
    if (rules?.type.case !== "enum") return reference;
    const print = (value: unknown) => desc.value[Number(value)]?.name ?? value;
    const { value: own } = rules.type;
    const schemas = [...setRules(own, print), ...(own.definedOnly ? [{ type: "string" }] : [])];
    if (schemas.length === 0) return reference;
    const schema = both([reference, ...schemas]);
    return ignoresZero ? { anyOf: [schema, { const: print(0) }] } : schema;
  }

  /** An open enum may have values without a name, which are numbers in JSON. */
  private names(desc: DescEnum): JsonSchema {
    const names: JsonSchema = { enum: desc.values.map(({ name }) => name) };
    const texts = desc.values.flatMap(({ name }) => {
      const text = this.options.comments.get(`${desc.typeName}.${name}`);
      return text === undefined ? [] : [`${name}: ${text}`];
    });
    const description = [this.options.comments.get(desc.typeName), ...texts].filter(Boolean).join("\n");
    return {
      ...(description !== "" && { description }),
      ...(desc.open ? { anyOf: [names, { type: "integer" }] } : names),
    };
  }

  private described(name: string, rules: readonly string[] = []): { readonly description?: string } {
    const texts = [this.options.comments.get(name), ...rules.map((rule) => `Rule: ${rule}`)];
    const description = texts.filter((text) => text !== undefined).join("\n");
    return description === "" ? {} : { description };
  }
}

/** The keys of maps are strings in JSON. */
function keySchema(scalar: ScalarType, rules: FieldRules | undefined): JsonSchema {
  if (scalar === ScalarType.STRING) return withScalarRules({ type: "string" }, scalar, knownRules(rules));
  if (scalar === ScalarType.BOOL) return { enum: ["true", "false"] };
  return { pattern: "^-?[0-9]+$" };
}

/**
 * Returns whether the JSON of a valid message has a field. ProtoJSON omits zero values of fields without
 * presence, but rules apply to these values.
 */
function isRequired(
  field: DescField,
  schema: JsonSchema,
  { isRequired, ignoresZero, rules }: KnownRules,
): boolean {
  if (isRequired) return true;
  if (field.proto.label === FieldDescriptorProto_Label.REQUIRED) return true;
  if (ignoresZero || rules === undefined) return false;
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return false;
  if (field.fieldKind === "list") return (schema.minItems ?? 0) > 0;
  if (field.fieldKind === "map") return (schema.minProperties ?? 0) > 0;
  return field.fieldKind === "scalar" && !accepts(schema, zeroOf(field.scalar));
}

/**
 * Returns the keywords for groups of which at most one field may be set. Some models reject `oneOf` at the
 * top level of a schema.
 */
function groupsSchema(desc: DescMessage, hasRules: boolean): JsonSchema {
  const names = new Map(desc.fields.map(({ name, jsonName }) => [name, jsonName]));
  const groups = [
    ...desc.oneofs.map((oneof) => ({
      fields: oneof.fields.map(({ jsonName }) => jsonName),
      required: hasRules && isOneofRequired(oneof),
    })),
    ...(hasRules ? exclusiveFields(desc) : []).map(({ fields, required }) => ({
      fields: fields.flatMap((name) => names.get(name) ?? []),
      required,
    })),
  ];
  const excluded = new Map<string, Set<string>>();
  for (const { fields } of groups) {
    for (const [index, name] of fields.entries()) {
      excluded.set(name, new Set([...(excluded.get(name) ?? []), ...fields.slice(index + 1)]));
    }
  }
  const dependent = [...excluded].filter(([, others]) => others.size > 0);
  const none = ({ fields }: { readonly fields: readonly string[] }): JsonSchema => ({
    not: { properties: absent(fields) },
  });
  const required = groups.filter(({ required }) => required).map(none);
  return {
    ...(dependent.length > 0 && {
      dependentSchemas: Object.fromEntries(
        dependent.map(([name, others]) => [name, { properties: absent([...others]) }]),
      ),
    }),
    ...(required.length > 0 && both(required)),
  };
}

function absent(names: readonly string[]): Record<string, false> {
  return Object.fromEntries(names.map((name) => [name, false] as const));
}
