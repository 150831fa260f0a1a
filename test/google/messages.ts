/** Generates random requests with values in fields of every kind. */
import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type PathTemplate, type PatternSegment, variablesOf } from "../../plugin/src/model/path-template.ts";
import type { Random } from "./random.ts";

const TEXTS = [
  "plain",
  "two words",
  "a/b",
  "50% & more = less? #1 +1",
  "Grüße, 日本語, 🙂",
  "!'()*-._~",
  'say "hi" \\ {x}',
  "tab\tand\nline",
  "%2F",
];
/** The valid values of one path segment. */
const SEGMENTS = TEXTS.filter((text) => !/[/\t]/.test(text));
const INTEGERS = [0, 1, -1, 42, 2_147_483_647, -2_147_483_648];
const BIG_INTEGERS = [0n, 1n, -5n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const FLOATS = [0, 1.5, -0.25, 3, 1e20, 2 ** -20];

/** JSON values of the well-known types in which not every field value is valid. */
const WELL_KNOWN: Readonly<Record<string, readonly JsonValue[]>> = {
  Timestamp: ["2026-01-02T03:04:05Z", "1969-12-31T23:59:59.500Z", "2024-02-29T00:00:00.000000001Z"],
  Duration: ["0s", "3s", "3.500s", "-1.000001s", "315576000000s"],
  FieldMask: ["", "name", "displayName,labels.someKey"],
  Struct: [{}, { text: "ü", list: [1, null, { deep: true }] }],
  Value: [null, 1.5, "text", false, [1, "2"], { key: [] }],
  ListValue: [[], ["x", 2]],
  Empty: [{}],
  Any: [{ "@type": "type.googleapis.com/google.protobuf.Duration", value: "3s" }],
};

/** A complete body. The content type is sent as a header. */
const HTTP_BODY = { contentType: "text/plain", data: "aGk=" };

/** The maximum nesting depth of messages. Each level has fewer fields than the level above. */
const DEPTH = 4;

/** Generates messages of the types in one registry. */
export class Messages {
  private readonly random: Random;
  private readonly registry: Registry;

  constructor(random: Random, registry: Registry) {
    this.random = random;
    this.registry = registry;
  }

  /**
   * Returns a request with values for all variables of a path template.
   *
   * @param share the share of the fields that have a value, from 0 to 1; nested messages have fewer
   */
  request(desc: DescMessage, template: PathTemplate, share: number): ReflectMessage {
    const message = this.message(desc, share, DEPTH);
    for (const { fieldPath, segments } of variablesOf(template)) {
      this.fillPath(message, fieldPath.split("."), segments);
    }
    return message;
  }

  private fillPath(
    holder: ReflectMessage,
    path: readonly string[],
    pattern: readonly PatternSegment[],
  ): void {
    const [name, ...rest] = path;
    const field = holder.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`${holder.desc.typeName} has no field ${name}`);
    if (rest.length === 0) {
      holder.set(field, this.pathValue(field, pattern));
      return;
    }
    if (field.fieldKind !== "message") throw new Error(`${field} is no message`);
    const inner = holder.isSet(field) ? holder.get(field) : reflect(field.message);
    this.fillPath(inner, rest, pattern);
    holder.set(field, inner);
  }

  private pathValue(field: DescField, pattern: readonly PatternSegment[]): unknown {
    if (field.fieldKind === "enum") return this.random.pick(field.enum.values.slice(-1)).number;
    if (field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING) {
      return isBig(field.scalar) ? 7n : field.scalar === ScalarType.BOOL ? true : 7;
    }
    const isWhole = pattern.length === 1 && pattern[0]?.kind === "wildcard" && !pattern[0].deep;
    if (isWhole) return this.random.pick([...SEGMENTS, "a/b"]);
    return pattern.flatMap((segment) => this.segments(segment)).join("/");
  }

  private segments(segment: PatternSegment): string[] {
    if (segment.kind === "literal") return [segment.text];
    const count = segment.deep ? 1 + this.random.below(3) : 1;
    return Array.from({ length: count }, () => this.random.pick(SEGMENTS));
  }

  private message(desc: DescMessage, share: number, depth: number): ReflectMessage {
    const known = knownJson(desc);
    if (known !== undefined) {
      return reflect(desc, fromJson(desc, this.random.pick(known), { registry: this.registry }));
    }
    const message = reflect(desc, create(desc));
    for (const member of desc.members) {
      if (!this.random.chance(share)) continue;
      const field = member.kind === "oneof" ? this.random.pick(member.fields) : member;
      if (depth > 1 || !hasMessages(field)) this.fill(message, field, share / 3, depth - 1);
    }
    return message;
  }

  private fill(message: ReflectMessage, field: DescField, share: number, depth: number): void {
    switch (field.fieldKind) {
      case "list": {
        const list = message.get(field);
        for (let left = this.random.below(3); left >= 0; left--) list.add(this.value(field, share, depth));
        break;
      }
      case "map": {
        const map = message.get(field);
        for (let left = this.random.below(3); left >= 0; left--) {
          map.set(this.scalar(field.mapKey), this.value(field, share, depth));
        }
        break;
      }
      default:
        message.set(field, this.value(field, share, depth));
    }
  }

  private value(field: DescField, share: number, depth: number): unknown {
    if ("enum" in field && field.enum !== undefined) return this.enumValue(field.enum);
    if ("message" in field && field.message !== undefined) return this.message(field.message, share, depth);
    if ("scalar" in field && field.scalar !== undefined) return this.scalar(field.scalar);
    throw new Error(`${field} is of no known kind`);
  }

  private enumValue(desc: DescEnum): number {
    return this.random.pick(desc.values).number;
  }

  private scalar(type: ScalarType): string | number | bigint | boolean | Uint8Array {
    const { random } = this;
    switch (type) {
      case ScalarType.STRING:
        return random.pick(TEXTS);
      case ScalarType.BYTES:
        return Uint8Array.from({ length: random.below(6) }, () => random.below(256));
      case ScalarType.BOOL:
        return random.chance(0.5);
      case ScalarType.DOUBLE:
      case ScalarType.FLOAT:
        return Math.fround(random.pick(FLOATS));
      case ScalarType.UINT32:
      case ScalarType.FIXED32:
        return random.pick([0, 1, 4_294_967_295]);
      case ScalarType.UINT64:
      case ScalarType.FIXED64:
        return random.pick([0n, 1n, 2n ** 64n - 1n]);
      default:
        return isBig(type) ? random.pick(BIG_INTEGERS) : random.pick(INTEGERS);
    }
  }
}

function isBig(type: ScalarType): boolean {
  return [
    ScalarType.INT64,
    ScalarType.SINT64,
    ScalarType.SFIXED64,
    ScalarType.UINT64,
    ScalarType.FIXED64,
  ].includes(type);
}

function knownJson({ typeName, name }: DescMessage): readonly JsonValue[] | undefined {
  if (typeName === "google.api.HttpBody") return [HTTP_BODY];
  return typeName === `google.protobuf.${name}` ? WELL_KNOWN[name] : undefined;
}

function hasMessages(field: DescField): boolean {
  return "message" in field && field.message !== undefined;
}
