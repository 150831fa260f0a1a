import type { DescField, DescMessage } from "@bufbuild/protobuf";
import {
  EnumTable,
  type FieldEntry,
  isJsonObject,
  type JsonValue,
  joinedPath,
  type Kind,
  MessageTable,
  stepText,
} from "connect-rest-codec/internal";
import type { Place } from "./locate.ts";
import { collectsKeys, type Messages, ownerOf, plainKind, readFields, readKeys } from "./object-fields.ts";
import type { Operations, WireOperation } from "./operations.ts";
import { type Root, rootsOf } from "./response-roots.ts";

/** The declarations that no recording touched, by their full names. */
export interface Uncovered {
  readonly operations: readonly string[];
  readonly fields: readonly string[];
  readonly enumValues: readonly string[];
  /** The reasons of errors, after the name of their service. */
  readonly reasons: readonly string[];
}

/** Receives what a payload contains. */
export interface PayloadListener {
  /** An object that the message with this name reads. */
  object(message: string): void;
  /** A key that no field reads, and that its message keeps among unknown keys. */
  collected(place: Place): void;
}

/** Records which declarations the responses of recordings contain. */
export class Coverage {
  private readonly fields = new Set<DescField>();
  private readonly values = new Map<string, Set<number>>();
  private readonly reasons = new Set<string>();
  private readonly touched = new Set<WireOperation>();
  private readonly messages: Messages;

  constructor(messages: Messages) {
    this.messages = messages;
  }

  /** Records a response of an operation. */
  operation(operation: WireOperation): void {
    this.touched.add(operation);
  }

  /** Records the reason of an error. */
  reason(method: string, reason: string): void {
    this.reasons.add(reasonOf(method, reason));
  }

  /**
   * Records the fields and enum values in a payload.
   *
   * @param found receives the objects, and the keys that messages collect
   */
  payload(roots: readonly Root[], payload: JsonValue | undefined, found: PayloadListener): void {
    const values = roots.map((root) => ({ ...root, value: valueUnder(root, payload) }));
    // several places of a list are alternatives: the first array is the list
    const list = values.find(({ field, value }) => field === undefined && Array.isArray(value));
    for (const { steps, kind, field, value } of list === undefined ? values : [list]) {
      if (value === undefined || value === null) continue;
      if (field !== undefined) this.fields.add(field);
      this.walk(kind, value, steps.map(stepText).join("."), found);
    }
  }

  /** Returns what no recording touched: fields and reasons only of operations that recordings contain. */
  uncovered({ all }: Operations): Uncovered {
    const touched = all.filter((each) => this.touched.has(each));
    const messages = new Set<DescMessage>();
    const found = new Set<string>();
    for (const { adapter } of touched.flatMap(({ methods }) => methods)) {
      for (const { kind } of rootsOf(adapter)) this.declared(kind, messages, found);
    }
    const fields = [...messages].flatMap((message) => message.fields);
    const missing = fields.filter((field) => found.has(nameOf(field)) && !this.fields.has(field));
    return {
      operations: all
        .filter((each) => !this.touched.has(each))
        .map(({ name }) => name)
        .toSorted(),
      fields: missing.map(nameOf).toSorted(),
      enumValues: this.missingValues(fields.filter((field) => this.fields.has(field))),
      reasons: this.missingReasons(touched.flatMap(({ methods }) => methods)),
    };
  }

  /** Returns the reasons by service, since methods share the rules of their service. */
  private missingReasons(methods: WireOperation["methods"]): readonly string[] {
    const declared = methods.flatMap(({ adapter, path }) =>
      adapter.rules.errors.flatMap(({ reason }) => (reason === undefined ? [] : [reasonOf(path, reason)])),
    );
    return [...new Set(declared)].filter((each) => !this.reasons.has(each)).toSorted();
  }

  /** Returns the values without the value 0, which stands for an absent value. */
  private missingValues(fields: readonly DescField[]): readonly string[] {
    const enums = new Set(fields.map((field) => field.enum).filter((each) => each !== undefined));
    return [...enums]
      .flatMap(({ typeName, values }) => {
        const seen = this.values.get(typeName);
        return values
          .filter(({ number }) => number !== 0 && seen?.has(number) !== true)
          .map(({ name }) => `${typeName}.${name}`);
      })
      .toSorted();
  }

  private walk(kind: Kind, value: JsonValue, path: string, found: PayloadListener): void {
    const plain = plainKind(kind);
    if (plain instanceof EnumTable) {
      const number = plain.numberOf(String(value)) ?? (typeof value === "number" ? value : undefined);
      if (number === undefined) return;
      const seen = this.values.get(plain.name) ?? new Set();
      this.values.set(plain.name, seen.add(number));
    } else if (plain instanceof MessageTable) {
      this.object(plain, value, path, found);
    } else if (typeof plain === "object" && "list" in plain) {
      const items = Array.isArray(value) ? value : [value];
      for (const item of items) this.walk(plain.list, item, `${path}[]`, found);
    } else if (typeof plain === "object" && "map" in plain && isJsonObject(value)) {
      for (const item of Object.values(value)) this.walk(plain.map, item ?? null, `${path}{}`, found);
    }
  }

  private object(table: MessageTable, value: JsonValue, path: string, found: PayloadListener): void {
    for (const { desc, kind, steps, value: inner } of readFields(table, value, this.messages)) {
      if (inner === undefined || inner === null) continue;
      if (desc !== undefined) this.fields.add(desc);
      const isShared = steps.length === 0 && isJsonObject(inner);
      // the fields of a member that shares the object are fields of the object
      if (!isShared) this.walk(kind, inner, joinedPath(path, steps.map(stepText).join(".")), found);
    }
    const object = Array.isArray(value) ? value[0] : value;
    if (!isJsonObject(object)) return;
    found.object(ownerOf(table, object).name);
    if (!collectsKeys(table, object)) return;
    const known = readKeys(table, object);
    for (const [key, inner] of Object.entries(object)) {
      const place = {
        path: joinedPath(path, stepText(key)),
        message: ownerOf(table, object).name,
        keys: [key],
        value: inner,
      };
      if (!known.has(key)) found.collected(place);
    }
  }

  /** Collects the fields that tables read. */
  private declared(kind: Kind, messages: Set<DescMessage>, found: Set<string>): void {
    const plain = plainKind(kind);
    if (plain instanceof MessageTable) {
      const message = this.messages.get(plain.name);
      if (message === undefined || messages.has(message)) return;
      messages.add(message);
      for (const [number, inner] of fieldEntries(plain)) {
        const field = message.fields.find((each) => each.number === number);
        if (field !== undefined) found.add(nameOf(field));
        this.declared(inner, messages, found);
      }
    } else if (typeof plain === "object" && "list" in plain) {
      this.declared(plain.list, messages, found);
    } else if (typeof plain === "object" && "map" in plain) {
      this.declared(plain.map, messages, found);
    }
  }
}

function valueUnder({ steps }: Root, payload: JsonValue | undefined): JsonValue | undefined {
  let value = payload;
  for (const step of steps) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}

function fieldEntries({ entries }: MessageTable): readonly FieldEntry[] {
  return entries.flatMap((entry): readonly FieldEntry[] => {
    if (Array.isArray(entry)) return [entry as FieldEntry];
    if ("oneOf" in entry) return entry.oneOf;
    if ("tuple" in entry) return entry.rest === undefined ? entry.tuple : [...entry.tuple, entry.rest];
    if (!("when" in entry)) return [];
    const members = entry.when.map(({ as }) => as).filter((each) => each !== undefined);
    return entry.otherwise === undefined ? members : [...members, entry.otherwise];
  });
}

function reasonOf(method: string, reason: string): string {
  return `${method.split("/", 1)[0]} ${reason}`;
}

function nameOf(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}
