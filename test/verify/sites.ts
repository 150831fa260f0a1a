/**
 * The places in recorded bodies at which tests plant changes, and the names that the description declares.
 */
import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import {
  field as fieldOption,
  oneof as oneofOption,
} from "../../runtime/src/gen/connectrest/v1/annotations_pb.ts";
import type { HarEntry } from "./har.ts";

export type Json = Readonly<Record<string, unknown>>;
export type Steps = readonly (string | number)[];

/** A place in the body of an entry: the path to an object, and one of its keys. */
export interface Site {
  readonly entry: HarEntry;
  readonly object: Steps;
  readonly key: string;
}

/** Returns all keys in the bodies of successful responses. */
export function sitesIn(entry: HarEntry): readonly Site[] {
  const body = bodyOf(entry);
  return body === undefined ? [] : [...keysIn(body, [])].map(([object, key]) => ({ entry, object, key }));
}

function* keysIn(value: unknown, at: Steps): Generator<readonly [Steps, string]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* keysIn(item, [...at, index]);
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      yield [at, key];
      yield* keysIn(inner, [...at, key]);
    }
  }
}

/** Returns the entry with another object at a site. */
export function changed({ entry, object }: Site, change: (object: Json) => Json): HarEntry {
  return withBody(entry, replaced(bodyOf(entry), object, change));
}

function replaced(value: unknown, [step, ...rest]: Steps, change: (object: Json) => Json): unknown {
  if (step === undefined) return change(value as Json);
  if (Array.isArray(value)) {
    return value.map((each, index) => (index === step ? replaced(each, rest, change) : each));
  }
  const object = value as Json;
  return { ...object, [step]: replaced(object[step], rest, change) };
}

/** Returns the entry with other keys in its body. Undefined removes a key. */
export function renamed(entry: HarEntry, name: (key: string) => string | undefined): HarEntry {
  const body = bodyOf(entry);
  return body === undefined ? entry : withBody(entry, mapped(body, name));
}

function mapped(value: unknown, name: (key: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, name));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, inner]) => {
    const other = name(key);
    return other === undefined ? [] : [[other, mapped(inner, name)]];
  });
  return Object.fromEntries(members);
}

function bodyOf({ response: { status, content } }: HarEntry): unknown {
  if (status >= 300 || content.text === undefined || content.encoding !== undefined) return undefined;
  return /json/.test(content.mimeType) && content.text !== "" ? JSON.parse(content.text) : undefined;
}

function withBody(entry: HarEntry, body: unknown): HarEntry {
  const { response } = entry;
  return {
    ...entry,
    response: { ...response, content: { ...response.content, text: JSON.stringify(body) } },
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The names of a description on the wire. */
export class DeclaredNames {
  /** The names of fields with any content: maps, and messages such as google.protobuf.Struct. */
  readonly free = new Set<string>();
  /** The names of keys that select members of oneofs. */
  readonly selectors = new Set<string>();
  readonly fields = new Map<string, Set<DescField>>();

  constructor(messages: Iterable<DescMessage>) {
    for (const message of messages) {
      for (const field of message.fields) this.add(field);
      for (const oneof of message.oneofs) {
        const { discriminator, payload } = getOption(oneof, oneofOption);
        this.selectors.add(discriminator);
        // members of a payload with a fallback may have any content
        if (payload !== "") this.free.add(payload);
      }
    }
  }

  /** Returns a pattern of the path under which a report names a key. */
  pattern(object: Steps, key: string): string {
    const steps = object[0] === "response" ? object.slice(1) : object;
    const names = [...steps, key].map((step) =>
      typeof step === "number" ? "(?:\\[\\])?" : this.nameOf(step),
    );
    return names.join("");
  }

  private nameOf(step: string): string {
    const same = [...(this.fields.get(step) ?? [])].flatMap(wireNames);
    const all = [...new Set([step, ...same])].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return `(?:\\.?(?:${all.join("|")})|\\{\\})`;
  }

  private add(field: DescField): void {
    const isFree =
      field.fieldKind === "map" ||
      /^google\.protobuf\.(?:Struct|Value|ListValue|Any)$/.test(field.message?.typeName ?? "");
    const { when } = getOption(field, fieldOption);
    for (const { key } of when) this.selectors.add(key);
    // a field with alternative paths reads the same keys at several depths
    for (const step of pathsOf(field).flat()) this.free.add(step);
    for (const name of wireNames(field)) {
      if (isFree) this.free.add(name);
      const fields = this.fields.get(name) ?? new Set();
      this.fields.set(name, fields.add(field));
    }
  }
}

/** Returns the names of a field in responses. */
export function wireNames(field: DescField): string[] {
  const { name, aliases } = getOption(field, fieldOption);
  const own = name === "" ? [field.name, field.jsonName] : [name];
  return [...own, ...aliases, ...pathsOf(field).flat()];
}

/** Returns the paths from which a field is read, split into their steps. */
function pathsOf(field: DescField): string[][] {
  const { from } = getOption(field, fieldOption);
  return from.flatMap(({ source }) => (source.case === "path" ? [source.value.split(".")] : []));
}
