/** A JSON Schema of the 2020-12 dialect: the keywords that the gateway prints. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema | false>>;
  readonly additionalProperties?: JsonSchema | false;
  readonly propertyNames?: JsonSchema;
  readonly dependentSchemas?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
}

/** Returns a schema that requires what all given schemas require. */
export function both(schemas: readonly JsonSchema[]): JsonSchema {
  const merged: Record<string, unknown> = {};
  const rest: JsonSchema[] = [];
  for (const schema of schemas) {
    const isMerged = Object.entries(schema).every(
      ([key, value]) => !(key in merged) || merged[key] === value,
    );
    if (isMerged) {
      Object.assign(merged, schema);
    } else {
      rest.push(schema);
    }
  }
  return rest.length === 0 ? merged : { ...merged, allOf: [...((merged.allOf as []) ?? []), ...rest] };
}

/** Returns whether a schema without references accepts a string, a number or a boolean. */
export function accepts(schema: JsonSchema, value: string | number | boolean): boolean {
  const { anyOf, allOf = [], not } = schema;
  const isInSet =
    !("const" in schema && schema.const !== value) &&
    (schema.enum === undefined || schema.enum.includes(value));
  return (
    isInSet &&
    hasType(schema.type, value) &&
    (typeof value !== "string" || acceptsString(schema, value)) &&
    (typeof value !== "number" || acceptsNumber(schema, value)) &&
    allOf.every((each) => accepts(each, value)) &&
    (anyOf === undefined || anyOf.some((each) => accepts(each, value))) &&
    (not === undefined || !accepts(not, value))
  );
}

function hasType(type: string | undefined, value: string | number | boolean): boolean {
  if (type === "integer") return Number.isInteger(value);
  return type === undefined || type === typeof value;
}

function acceptsString(
  { minLength = 0, maxLength = Infinity, pattern = "" }: JsonSchema,
  value: string,
): boolean {
  const { length } = [...value];
  return length >= minLength && length <= maxLength && new RegExp(pattern, "u").test(value);
}

function acceptsNumber(schema: JsonSchema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema;
  return (
    value >= minimum &&
    value <= maximum &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum)
  );
}
