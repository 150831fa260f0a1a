/** Generates values from the schemas of an OpenAPI document. A validator decides which of them are valid. */
import fc from "fast-check";
import { isObject, itemsOf, type Json, keysOf, memberOf, type OpenApi, type Part } from "./document.ts";
import { isValueObject, printExact, type Value } from "./values.ts";

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_INT32 = 2 ** 31 - 1;
/** The depth at which required values end. Optional values end at 0. */
const MIN_DEPTH = -4;

/** Generates strings by format. Other formats get any text. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": fc.tuple(instants(), fc.constantFrom("Z", "+00:00", "")).map(([text, zone]) => {
    return zone === "" ? `${text.slice(0, 19)}Z` : `${text.slice(0, 23)}${zone}`;
  }),
  date: instants().map((text) => text.slice(0, 10)),
  time: instants().map((text) => `${text.slice(11, 19)}Z`),
  uuid: fc.uuid(),
  email: fc.constantFrom("a@example.com", "first.last@example.org"),
  uri: fc.webUrl(),
  url: fc.webUrl(),
  hostname: fc.domain(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  byte: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  base64url: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
};

function instants(): fc.Arbitrary<string> {
  const min = new Date("1900-01-01T00:00:00Z");
  const max = new Date("2199-12-31T23:59:59Z");
  return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
}

const anything: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>("text", 7, 2.5, true),
  fc.constant<Value>({ key: ["a", 1, { deep: false }] }),
);

/** Generates values for the schema at a position of the document. */
export function arbitraryValue(document: OpenApi, schema: Part, depth = 5): fc.Arbitrary<Value> {
  return new Values(document).any(schema, depth);
}

class Values {
  private readonly document: OpenApi;
  /** The base types whose subtypes are being generated. */
  private readonly bases = new Set<string>();

  constructor(document: OpenApi) {
    this.document = document;
  }

  any(schema: Part, depth: number): fc.Arbitrary<Value> {
    // a schema that requires itself has no finite values
    if (depth < MIN_DEPTH) return fc.constant(null);
    const { value } = this.document.follow(schema);
    if (memberOf(value, "nullable") !== true || depth <= 0) return this.typed(schema, depth);
    return fc.oneof(
      { arbitrary: this.typed(schema, depth), weight: 5 },
      { arbitrary: fc.constant(null), weight: 1 },
    );
  }

  private typed(schema: Part, depth: number): fc.Arbitrary<Value> {
    const part = this.document.follow(schema);
    const { value } = part;
    const constant = memberOf(value, "const");
    if (constant !== undefined) return fc.constant(constant as Value);
    const values = itemsOf(memberOf(value, "enum"));
    if (values.length > 0) return fc.constantFrom(...(values as readonly Value[]));
    const discriminator = memberOf(memberOf(value, "discriminator"), "propertyName");
    if (typeof discriminator !== "string" || this.bases.has(part.pointer)) return this.plain(part, depth);
    this.bases.add(part.pointer);
    const found = this.discriminated(part, discriminator, depth);
    this.bases.delete(part.pointer);
    return found;
  }

  private plain(part: Part, depth: number): fc.Arbitrary<Value> {
    const { value } = part;
    const combined = this.combined(part, depth);
    if (combined.length === 0) return this.ofType(part, depth);
    const isOwn = ["type", "properties", "items"].some((key) => memberOf(value, key) !== undefined);
    return fc.tuple(...combined, ...(isOwn ? [this.ofType(part, depth)] : [])).map(merged);
  }

  /**
   * Generates objects for the alternatives of a schema with a discriminator, each with the discriminator
   * value of the alternative.
   */
  private discriminated(part: Part, property: string, depth: number): fc.Arbitrary<Value> {
    const listed = [...this.list(part, "oneOf"), ...this.list(part, "anyOf")];
    const subtypes =
      listed.length > 0 ? listed.map((each) => this.document.follow(each)) : this.subtypes(part);
    const choices = subtypes.map((subtype) => {
      return fc.tuple(this.plain(subtype, depth - 1), this.selecting(part, subtype, property)).map(merged);
    });
    return choices.length === 0 ? this.plain(part, depth) : fc.oneof(...choices);
  }

  /** Generates the discriminator property with the value for a subtype. */
  private selecting(base: Part, subtype: Part, property: string): fc.Arbitrary<Value> {
    if (!this.isOpenKey(subtype, property)) return fc.constant({});
    const mapping = this.document.child(base, "discriminator", "mapping")?.value;
    const mapped = keysOf(mapping).filter((key) => {
      const target = String(memberOf(mapping, key));
      return subtype.pointer === target || subtype.pointer.endsWith(`/schemas/${target}`);
    });
    const names = mapped.length > 0 ? mapped : [subtype.pointer.split("/").at(-1) ?? ""];
    return fc.constantFrom(...names).map((name) => ({ [property]: name }));
  }

  /** Generates the values of a part of `allOf`, which may be the base type of the schema. */
  private part(schema: Part, each: Part, depth: number): fc.Arbitrary<Value> {
    const base = this.document.follow(each);
    // a part that only has notes or constraints allows all values of the other parts
    if (this.isOpen(base)) return fc.constant({});
    const property = memberOf(memberOf(base.value, "discriminator"), "propertyName");
    if (typeof property !== "string") return this.any(each, depth);
    return fc.tuple(this.plain(base, depth), this.selecting(base, schema, property)).map(merged);
  }

  /** Returns the named schemas whose `allOf` refers to a base type. */
  private subtypes({ pointer }: Part): Part[] {
    const schemas = this.document.at("#/components/schemas");
    return keysOf(schemas.value).flatMap((name) => {
      const schema = this.document.child(schemas, name);
      if (schema === undefined) return [];
      const bases = itemsOf(memberOf(schema.value, "allOf")).map((each) => memberOf(each, "$ref"));
      return bases.includes(pointer) ? [schema] : [];
    });
  }

  /** Reports whether the schema of a property allows any string. */
  private isOpenKey(part: Part, property: string): boolean {
    const found = this.document.child(part, "properties", property);
    if (found === undefined) return true;
    const { value } = this.document.follow(found);
    return memberOf(value, "enum") === undefined && memberOf(value, "const") === undefined;
  }

  /**
   * Generates one value for each part of `allOf`, and one for `oneOf` and `anyOf`; the caller merges them.
   */
  private combined(part: Part, depth: number): fc.Arbitrary<Value>[] {
    const all = this.list(part, "allOf").map((each) => this.part(part, each, depth));
    const choices = ["oneOf", "anyOf"].flatMap((keyword) => {
      const each = this.list(part, keyword);
      if (each.every((alternative) => this.isOpen(this.document.follow(alternative)))) return [];
      // a union of integers and numbers is a double, which the import reports
      const isDouble = each.some((one) => memberOf(this.document.follow(one).value, "type") === "number");
      // below the maximum depth, use only alternatives without objects, to end the recursion
      const shallow = depth > 0 ? each : each.filter((alternative) => !this.isDeep(alternative));
      const parts = shallow.length === 0 ? each.slice(0, 1) : shallow;
      return parts.length === 0
        ? []
        : [
            fc
              .oneof(...parts.map((one) => this.any(one, depth - 1)))
              .map((value) => (isDouble && typeof value === "bigint" ? 7 : value)),
          ];
    });
    return [...all, ...choices];
  }

  private isOpen({ value }: Part): boolean {
    const says = ["enum", "const", "allOf", "oneOf", "anyOf"].some(
      (key) => memberOf(value, key) !== undefined,
    );
    return !says && typesOf(value).length === 0;
  }

  private list(part: Part, keyword: string): Part[] {
    return itemsOf(memberOf(part.value, keyword)).flatMap((_, index) => {
      return this.document.child(part, keyword, index) ?? [];
    });
  }

  private isDeep(part: Part): boolean {
    const { value } = this.document.follow(part);
    return !["string", "integer", "number", "boolean", "null"].includes(String(memberOf(value, "type")));
  }

  private ofType(part: Part, depth: number): fc.Arbitrary<Value> {
    const types = typesOf(part.value);
    return types.length === 0 ? anything : fc.oneof(...types.map((type) => this.one(part, type, depth)));
  }

  private one(part: Part, type: string, depth: number): fc.Arbitrary<Value> {
    switch (type) {
      case "object":
        return this.object(part, depth);
      case "array":
        return this.array(part, depth);
      case "string":
        return stringOf(part.value);
      case "integer":
        return integerOf(part.value);
      case "number":
        return numberOf(part.value);
      case "boolean":
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  }

  private object(part: Part, depth: number): fc.Arbitrary<Value> {
    const names = keysOf(memberOf(part.value, "properties"));
    const required = itemsOf(memberOf(part.value, "required")).map(String);
    // the import omits properties without a name, and reports them
    const known = names.filter(
      (name) => name !== "" && name !== "__proto__" && (depth > 0 || required.includes(name)),
    );
    const entries = known.flatMap((name) => {
      const property = this.document.child(part, "properties", name);
      return property === undefined ? [] : [[name, this.any(property, depth - 1)] as const];
    });
    const requiredKeys = known.filter((name) => required.includes(name));
    const declared = fc.record(Object.fromEntries(entries), { requiredKeys, noNullPrototype: true });
    const extra = this.document.child(part, "additionalProperties");
    if (extra === undefined || extra.value === false || depth <= 0) return declared as fc.Arbitrary<Value>;
    const values = isObject(extra.value) ? this.any(extra, depth - 1) : anything;
    const others = fc.dictionary(fc.stringMatching(/^zz[a-z0-9]{1,4}$/), values, {
      maxKeys: 2,
      noNullPrototype: true,
    });
    return fc.tuple(declared, others).map((parts) => merged(parts as Value[]));
  }

  private array(part: Part, depth: number): fc.Arbitrary<Value> {
    const least = countOf(part.value, "minItems") ?? 0;
    const most = countOf(part.value, "maxItems") ?? Math.max(3, least);
    const tuple = Array.isArray(memberOf(part.value, "items")) ? "items" : "prefixItems";
    const positions = this.list(part, tuple);
    const item = this.document.child(part, "items");
    if (positions.length > 0) {
      const described = tuple === "prefixItems" && isObject(memberOf(part.value, "items")) ? item : undefined;
      const more =
        described === undefined
          ? fc.constant([])
          : fc.array(this.any(described, depth - 1), { maxLength: 2 });
      const all = fc.tuple(...positions.map((each) => this.any(each, depth - 1)));
      return fc
        .tuple(all, more, fc.boolean())
        .map(([items, further, isShort]) =>
          isShort ? items.slice(0, Math.max(least, items.length - 1)) : [...items, ...further],
        );
    }
    if (depth <= 0 && least === 0) return fc.constant([]);
    const items = item === undefined ? anything : this.any(item, depth - 1);
    const bounds = { minLength: least, maxLength: depth > 0 ? Math.min(most, least + 3) : least };
    return memberOf(part.value, "uniqueItems") === true
      ? fc.uniqueArray(items, { ...bounds, selector: printExact })
      : fc.array(items, bounds);
  }
}

function merged(parts: readonly Value[]): Value {
  if (!parts.every(isValueObject)) return parts.find((part) => !isValueObject(part)) ?? {};
  return Object.assign({}, ...parts) as Value;
}

function typesOf(value: Json): readonly string[] {
  const type = memberOf(value, "type");
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === "string") return [type];
  if (memberOf(value, "properties") !== undefined || memberOf(value, "additionalProperties") !== undefined) {
    return ["object"];
  }
  return memberOf(value, "items") === undefined ? [] : ["array"];
}

function stringOf(value: Json): fc.Arbitrary<string> {
  const least = countOf(value, "minLength") ?? 0;
  const most = countOf(value, "maxLength");
  const pattern = memberOf(value, "pattern");
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"));
  const format = FORMATS[String(memberOf(value, "format"))];
  if (format !== undefined) return format;
  const maxLength = Math.min(most ?? Number.MAX_SAFE_INTEGER, least + 12);
  return fc.string({ unit: "grapheme-ascii", minLength: least, maxLength });
}

function integerOf(value: Json): fc.Arbitrary<Value> {
  const format = memberOf(value, "format");
  const isSmall = format === "int32";
  const lower = boundOf(value, "minimum", "exclusiveMinimum", 1);
  const upper = boundOf(value, "maximum", "exclusiveMaximum", -1);
  const min = BigInt(Math.ceil(lower ?? (isSmall ? -MAX_INT32 - 1 : Number.MIN_SAFE_INTEGER)));
  const max = BigInt(Math.floor(upper ?? (isSmall ? MAX_INT32 : Number.MAX_SAFE_INTEGER)));
  const least = format === "uint64" ? 0n : lower === undefined && !isSmall ? MIN_INT64 : min;
  const most = upper === undefined && !isSmall ? MAX_INT64 : max;
  return fc.bigInt({ min: least, max: most < least ? least : most }).map((big) => {
    return Number.isSafeInteger(Number(big)) ? Number(big) : big;
  });
}

function numberOf(value: Json): fc.Arbitrary<number> {
  const min = boundOf(value, "minimum", "exclusiveMinimum", 0);
  const max = boundOf(value, "maximum", "exclusiveMaximum", 0);
  return fc
    .double({
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      noNaN: true,
      noDefaultInfinity: true,
    })
    .map((number) => (Object.is(number, -0) ? 0 : number));
}

function boundOf(value: Json, inclusive: string, exclusive: string, step: number): number | undefined {
  const bound = memberOf(value, inclusive);
  const other = memberOf(value, exclusive);
  if (typeof other === "number") return other + step;
  if (typeof bound !== "number") return undefined;
  return other === true ? bound + step : bound;
}

function countOf(value: Json, key: string): number | undefined {
  const found = memberOf(value, key);
  return typeof found === "number" ? found : undefined;
}
