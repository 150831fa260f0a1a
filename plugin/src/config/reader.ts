import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import type { Position } from "../diagnostics/origin.ts";
import type { Problems } from "../diagnostics/problem.ts";
import { suggest } from "../diagnostics/suggest.ts";
import type { ConfigDocument } from "./document.ts";

/** A value as ProtoJSON, the input of `fromJson`. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * The maximum nesting depth. Aliases may be nested, and an alias may even be inside the node that it refers
 * to.
 */
const MAX_DEPTH = 64;

/**
 * Reads YAML as a message: field names in snake_case or lowerCamel, enum values by name, durations as `3s`,
 * exact 64-bit integers. Invalid parts are reported with their position, and omitted.
 */
export class ConfigReader {
  readonly document: ConfigDocument;
  private readonly problems: Problems;

  constructor(document: ConfigDocument, problems: Problems) {
    this.document = document;
    this.problems = problems;
  }

  report(node: unknown, code: string, text: string): void {
    this.problems.addAt(this.document.positionOf(node), code, text);
  }

  /** Reports whether a value is missing or null: `null`, `~`, or nothing after a colon. */
  isNothing(node: unknown): boolean {
    const value = this.document.resolve(node);
    return value === null || value === undefined || (isScalar(value) && value.value === null);
  }

  /**
   * Returns the entries of a map by key. Reports a problem and returns undefined if the node is not a map.
   */
  entries(node: unknown, subject: string): Map<string, Pair> | undefined {
    const map = this.document.resolve(node);
    if (!isMap(map)) {
      this.report(node, "config-type", `${subject}: expected a map, got ${described(map)}`);
      return undefined;
    }
    return new Map(map.items.map((pair) => [keyText(pair), pair]));
  }

  /** Returns the items of a list. Reports a problem and returns an empty list if the node is not a list. */
  items(node: unknown, subject: string): readonly unknown[] {
    const list = this.document.resolve(node);
    if (isSeq(list)) return list.items;
    this.report(node, "config-type", `${subject}: expected a list, got ${described(list)}`);
    return [];
  }

  /** Returns a string. Reports a problem and returns undefined if the node is not a string. */
  string(node: unknown, subject: string): string | undefined {
    const value = this.document.resolve(node);
    if (isScalar(value) && typeof value.value === "string") return value.value;
    this.report(node, "config-type", `${subject}: expected a string, got ${described(value)}`);
    return undefined;
  }

  /** Reports unknown keys. */
  checkKeys(entries: ReadonlyMap<string, Pair>, allowed: readonly string[], subject: string): void {
    for (const [key, pair] of entries) {
      if (allowed.includes(key)) continue;
      this.report(pair.key, "config-key", `${subject}: unknown key \`${key}\`${suggest(key, allowed)}`);
    }
  }

  /**
   * Reads a message as ProtoJSON.
   *
   * @param places receives the position of each field that is set, by its path of field numbers after `path`
   */
  message(
    node: unknown,
    desc: DescMessage,
    subject: string,
    path: string,
    places: Map<string, Position>,
  ): Json {
    return this.object({ node, subject, path, places, depth: 0 }, desc);
  }

  private object(at: At, desc: DescMessage): Json {
    const json: { [key: string]: Json } = {};
    if (at.depth > MAX_DEPTH) {
      this.report(at.node, "config-type", `${at.subject}: is nested more than ${MAX_DEPTH} deep`);
      return json;
    }
    const entries = this.entries(at.node, at.subject);
    if (entries === undefined) return json;
    const oneofs = new Map<string, string>();
    for (const [key, pair] of entries) {
      const field = desc.fields.find((candidate) => candidate.name === key || candidate.jsonName === key);
      if (field === undefined) {
        const names = desc.fields.map((candidate) => candidate.name);
        this.report(pair.key, "config-key", `${at.subject}: unknown key \`${key}\`${suggest(key, names)}`);
        continue;
      }
      const other = field.oneof === undefined ? undefined : oneofs.get(field.oneof.name);
      if (other !== undefined || Object.hasOwn(json, field.jsonName)) {
        const text = `${at.subject}: \`${key}\` and \`${other ?? field.name}\` are mutually exclusive; keep one`;
        this.report(pair.key, "config-twice", text);
        continue;
      }
      if (field.oneof !== undefined) oneofs.set(field.oneof.name, key);
      const below = `${at.path}.${field.number}`;
      at.places.set(below, this.document.positionOf(pair.key));
      const value = this.field(
        { ...at, node: pair.value, subject: `${at.subject}.${key}`, path: below, depth: at.depth + 1 },
        field,
      );
      if (value !== undefined) json[field.jsonName] = value;
    }
    return json;
  }

  private field(at: At, field: DescField): Json | undefined {
    const node = this.document.resolve(at.node);
    if (this.isNothing(node)) return null;
    if (field.fieldKind !== "list") return this.single(at, field);
    // a single value represents a list of one item, as in the text format of .proto files
    if (!isSeq(node)) return this.listOf([this.single(at, field)]);
    return this.listOf(
      node.items.map((item, index) => {
        const below = `${at.path}.${index}`;
        at.places.set(below, this.document.positionOf(item));
        return this.single({ ...at, node: item, subject: `${at.subject}[${index}]`, path: below }, field);
      }),
    );
  }

  private listOf(items: ReadonlyArray<Json | undefined>): Json {
    return items.filter((item) => item !== undefined);
  }

  private single(at: At, field: DescField): Json | undefined {
    if ("message" in field && field.message !== undefined) {
      if (field.message.typeName !== "google.protobuf.Duration") return this.object(at, field.message);
      return this.duration(at);
    }
    if ("enum" in field && field.enum !== undefined) return this.enumValue(at, field.enum);
    if ("scalar" in field && field.scalar !== undefined) return this.scalar(at, field.scalar);
    return undefined;
  }

  private duration({ node, subject }: At): Json | undefined {
    const value = this.scalarOf(node);
    if (typeof value === "string" && /^-?\d{1,9}(\.\d{1,9})?s$/.test(value)) return value;
    const got = described(this.document.resolve(node));
    this.report(
      node,
      "config-value",
      `${subject}: expected a duration in seconds, e.g. \`1.5s\`, got ${got}`,
    );
    return undefined;
  }

  private enumValue({ node, subject }: At, desc: DescEnum): Json | undefined {
    const value = this.scalarOf(node);
    const names = desc.values.map(({ name }) => name);
    if (typeof value === "string" && names.includes(value)) return value;
    const got = described(this.document.resolve(node));
    const hint = suggest(typeof value === "string" ? value : "", names);
    this.report(node, "config-value", `${subject}: expected a value of ${desc.typeName}, got ${got}${hint}`);
    return undefined;
  }

  private scalar({ node, subject }: At, type: ScalarType): Json | undefined {
    const value = this.scalarOf(node);
    const fault = (expected: string) => {
      const got = described(this.document.resolve(node));
      const quoted = type === ScalarType.STRING && isPlain(value) ? "; put it in quotes" : "";
      this.report(node, "config-type", `${subject}: expected ${expected}, got ${got}${quoted}`);
      return undefined;
    };
    if (type === ScalarType.STRING) return typeof value === "string" ? value : fault("a string");
    if (type === ScalarType.BOOL) return typeof value === "boolean" ? value : fault("true or false");
    const bits = type === ScalarType.INT32 ? 32 : 64;
    if (typeof value !== "bigint") return fault("an integer");
    return BigInt.asIntN(bits, value) === value ? String(value) : fault(`an integer of ${bits} bits`);
  }

  private scalarOf(node: unknown): unknown {
    const value = this.document.resolve(node);
    return isScalar(value) ? value.value : undefined;
  }
}

interface At {
  readonly node: unknown;
  /** The name of the value in messages: `connectrest.services[0].rules`. */
  readonly subject: string;
  /** The path in the options, as field numbers joined by dots. */
  readonly path: string;
  readonly places: Map<string, Position>;
  readonly depth: number;
}

function keyText({ key }: YAMLMap["items"][number]): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function isPlain(value: unknown): boolean {
  return typeof value === "bigint" || typeof value === "number" || typeof value === "boolean";
}

/** Describes a value for messages: `the number 3`, `a list`. */
function described(node: unknown): string {
  if (isMap(node)) return "a map";
  if (isSeq(node)) return "a list";
  if (!isScalar(node) || node.value === null || node.value === undefined) return "nothing";
  const { value } = node;
  if (typeof value === "string") {
    return `the string \`${value.length > 60 ? `${value.slice(0, 60)}…` : value}\``;
  }
  return typeof value === "boolean" ? String(value) : `the number ${String(value)}`;
}
