/** Finds the declaration to which a path in a response belongs. */
import type { DescField } from "@bufbuild/protobuf";
import {
  EnumTable,
  isJsonObject,
  type JsonValue,
  type Kind,
  MessageTable,
  type ReportedStep,
  reportedSteps,
  stepText,
} from "connect-rest-codec/internal";
import { type Messages, ownerOf, plainKind, readFields } from "./object-fields.ts";
import type { Root } from "./response-roots.ts";

/** The declaration of a value, or the message to which a new field belongs. */
export interface Place {
  /** The path in the response: `posts[].labels{}.name`. */
  readonly path: string;
  /** The full name of the message. Undefined outside of the tables, e.g. in an envelope. */
  readonly message?: string | undefined;
  /** The path of an undeclared key in the object of the message. */
  readonly keys?: ReadonlyArray<string | number> | undefined;
  /** Undefined for a key that no field reads. */
  readonly field?: DescField | undefined;
  /** The value. Undefined if it is absent from the response. */
  readonly value?: JsonValue | undefined;
}

/** A position on the way to a place. */
interface Position {
  readonly kind: Kind;
  readonly value: JsonValue | undefined;
  readonly field: DescField | undefined;
  readonly message: string | undefined;
}

/**
 * Returns the place of a path that a difference names.
 *
 * @param payload the value at which the path starts
 * @returns undefined for a path that does not lead into the tables
 */
export function locate(
  roots: readonly Root[],
  payload: JsonValue | undefined,
  path: string,
  messages: Messages,
): Place | undefined {
  const steps = reportedSteps(path).filter(({ key, isPlain }) => !(isPlain && key === "(root)"));
  for (const { steps: start, kind, field } of roots.toSorted((a, b) => b.steps.length - a.steps.length)) {
    if (!start.every((name, index) => steps[index]?.key === name)) continue;
    const value = start.reduce<JsonValue | undefined>(member, payload);
    const message = field?.parent.typeName;
    const found = follow({ kind, value, field, message }, steps.slice(start.length), messages);
    const before = start.map(stepText).join(".");
    return { ...found, path: joined(before, found.path) || "(root)" };
  }
  return undefined;
}

function follow(start: Position, steps: readonly ReportedStep[], messages: Messages): Place {
  let position = start;
  let path = "";
  for (let at = 0; at < steps.length; ) {
    const step = steps[at] as ReportedStep;
    const kind = plainKind(position.kind);
    if (typeof step.key === "number") {
      path += "[]";
      position = itemOf(position, kind, step.key);
      at++;
    } else if (isMap(kind)) {
      path += "{}";
      const value = member(position.value, String(step.key));
      position = { ...position, kind: kind.map, value };
      at++;
    } else if (tableOf(kind) === undefined) {
      // a value below a scalar, or in a message with a special JSON form
      return {
        path: joined(path, textOf(steps.slice(at))),
        message: position.message,
        field: position.field,
      };
    } else {
      const below = inTable(tableOf(kind) as MessageTable, position, steps.slice(at), messages);
      path = joined(path, below.path);
      if (below.position === undefined) return { ...below.place, path };
      position = below.position;
      at += below.taken;
    }
  }
  return { path, message: ofMessage(position), field: position.field, value: position.value };
}

/** Follows a key of an object. Without a position, no field reads the key. */
function inTable(
  table: MessageTable,
  { value }: Position,
  steps: readonly ReportedStep[],
  messages: Messages,
) {
  const object = isJsonObject(value) ? value : Array.isArray(value) ? (value[0] ?? {}) : {};
  const fields = readFields(table, object, messages).filter(({ steps: own }) => own.length > 0);
  const matching = fields.filter(({ steps: own }) => own.every((name, index) => isStep(steps[index], name)));
  const [field] = matching.toSorted((a, b) => b.steps.length - a.steps.length);
  if (field === undefined) {
    const keys = steps.map(({ key }) => key);
    const place = { message: ownerOf(table, object).name, keys, value: keys.reduce(inside, object) };
    return { path: textOf(steps), place, taken: steps.length };
  }
  const position = {
    kind: field.kind,
    value: field.value,
    field: field.desc,
    message: field.desc?.parent.typeName,
  };
  return { path: field.steps.map(stepText).join("."), position, taken: field.steps.length };
}

function isStep(step: ReportedStep | undefined, name: string): boolean {
  if (step === undefined) return false;
  return step.key === name || (step.isPlain && String(step.key).split(" or ").includes(name));
}

function itemOf(position: Position, kind: Kind, index: number): Position {
  const { value } = position;
  const item = Array.isArray(value) ? value[index] : value;
  const isList = typeof kind === "object" && "list" in kind;
  return { ...position, kind: isList ? kind.list : kind, value: item };
}

function isMap(kind: Kind): kind is Extract<Kind, { readonly map: Kind }> {
  return typeof kind === "object" && !(kind instanceof EnumTable) && "map" in kind;
}

/** Returns the table of an object. A single object may stand for a list. */
function tableOf(kind: Kind): MessageTable | undefined {
  if (kind instanceof MessageTable) return kind;
  if (typeof kind !== "object" || kind instanceof EnumTable || !("list" in kind)) return undefined;
  return tableOf(plainKind(kind.list));
}

function ofMessage({ kind, message, field }: Position): string | undefined {
  const plain = plainKind(kind);
  return field === undefined && plain instanceof MessageTable ? plain.name : message;
}

function inside(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (typeof key === "string") return member(value, key);
  return Array.isArray(value) ? value[key] : undefined;
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function textOf(steps: readonly ReportedStep[]): string {
  return steps.reduce((path, { key }) => joined(path, typeof key === "number" ? "[]" : stepText(key)), "");
}

function joined(path: string, rest: string): string {
  return path === "" || rest === "" || /^[[{]/.test(rest) ? path + rest : `${path}.${rest}`;
}
