import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { NumberText } from "../json/number-text.ts";
import { joinedPath, stepText } from "../json/path-text.ts";

/** A location in the JSON of a message, as a dotted path, with the value there. */
type Place = readonly [path: string, value: JsonValue | undefined];

/** The content of a JSON message that its type cannot hold. */
export interface Surplus {
  /** The keys that no field reads. */
  readonly keys: readonly Place[];
  /** The integers beyond 2^53 in a google.protobuf.Struct, which become strings. */
  readonly bigNumbers: readonly Place[];
  /** The numbers in a Struct that are doubles by their notation. */
  readonly doubles: ReadonlySet<NumberText>;
  /**
   * Whether a value does not fit its type: an unknown enum name, a number in place of a string, a lone
   * surrogate.
   */
  readonly isMistyped: boolean;
}

type Found = {
  readonly keys: Place[];
  readonly bigNumbers: Place[];
  readonly doubles: Set<NumberText>;
  isMistyped: boolean;
};

/**
 * Searches the ProtoJSON of a message in a google.protobuf.Any, without its `@type`, for content that
 * protobuf-es ignores or changes. Nested Any messages are searched by the types in the registry.
 */
export function findSurplus(desc: DescMessage, json: JsonObject, registry: Registry): Surplus {
  const visitor = new Visitor(registry);
  visitor.packed(desc, json, "");
  return visitor.found;
}

/** The types whose numbers are JSON numbers, never 64-bit integers. */
const ANY_JSON: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

class Visitor {
  readonly found: Found = { keys: [], bigNumbers: [], doubles: new Set(), isMistyped: false };
  private readonly registry: Registry;

  constructor(registry: Registry) {
    this.registry = registry;
  }

  /**
   * Searches the content next to `@type`: the keys of the message, or `value` if the JSON of the message has
   * a special form.
   */
  packed(desc: DescMessage, json: JsonObject, path: string): void {
    if (!hasCustomJsonRepresentation(desc) || !Object.hasOwn(json, "value")) {
      this.message(desc, json, path);
      return;
    }
    for (const [key, value] of Object.entries(json)) {
      if (key !== "value") this.found.keys.push([below(path, key), value]);
    }
    this.message(desc, json.value, below(path, "value"));
  }

  private message(desc: DescMessage, json: JsonValue | undefined, path: string): void {
    if (desc.typeName === "google.protobuf.Any") {
      this.any(json, path);
    } else if (hasCustomJsonRepresentation(desc)) {
      this.dynamic(json, path, ANY_JSON.has(desc.typeName));
    } else if (isJsonObject(json)) {
      this.fields(desc, json, path);
    }
  }

  private any(json: JsonValue | undefined, path: string): void {
    if (!isJsonObject(json)) return;
    const { "@type": url, ...fields } = json;
    const desc =
      typeof url === "string" ? this.registry.getMessage(url.slice(url.lastIndexOf("/") + 1)) : undefined;
    // protobuf-es also rejects an Any with an unknown type
    if (desc !== undefined) this.packed(desc, fields, path);
  }

  /**
   * Searches a string or arbitrary JSON for large integers and lone surrogates. All other content is kept
   * unchanged.
   */
  private dynamic(json: JsonValue | undefined, path: string, isAny: boolean): void {
    if (typeof json === "bigint") {
      this.found.bigNumbers.push([path, json]);
    } else if (json instanceof NumberText) {
      if (isAny && Number.isFinite(Number(json.value))) this.found.doubles.add(json);
    } else if (typeof json === "string") {
      this.text(json);
    } else if (Array.isArray(json)) {
      json.forEach((item, index) => {
        this.dynamic(item, `${path}[${index}]`, isAny);
      });
    } else if (isJsonObject(json)) {
      for (const [key, value] of Object.entries(json)) {
        this.text(key);
        this.dynamic(value, below(path, key), isAny);
      }
    }
  }

  /** protobuf-es rejects a string that UTF-8 cannot represent; this codec replaces its lone surrogates */
  private text(text: string): void {
    if (!text.isWellFormed()) this.found.isMistyped = true;
  }

  private fields(desc: DescMessage, json: JsonObject, path: string): void {
    const fields = new Map(
      desc.fields.flatMap((field) => [[field.name, field] as const, [field.jsonName, field] as const]),
    );
    for (const [key, value] of Object.entries(json)) {
      const field = fields.get(key);
      if (field === undefined) {
        this.found.keys.push([below(path, key), value]);
      } else if (value !== undefined) {
        this.field(field, value, below(path, key));
      }
    }
  }

  private field(field: DescField, value: JsonValue, path: string): void {
    if (field.fieldKind === "list" && Array.isArray(value)) {
      value.forEach((item, index) => {
        this.value(field, item, `${path}[${index}]`);
      });
    } else if (field.fieldKind === "map" && isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (item !== undefined) this.value(field, item, below(path, key));
      }
    } else {
      this.value(field, value, path);
    }
  }

  private value(field: DescField, value: JsonValue, path: string): void {
    if (field.message !== undefined) {
      this.message(field.message, value, path);
    } else if (field.enum !== undefined) {
      const isWord = typeof value === "string";
      if (isWord && !field.enum.values.some(({ name }) => name === value)) this.found.isMistyped = true;
    } else if (field.scalar === ScalarType.STRING) {
      // a bigint becomes a string before protobuf-es reads it
      if (typeof value === "bigint") this.found.isMistyped = true;
    }
  }
}

function below(path: string, key: string): string {
  return joinedPath(path, stepText(key));
}
