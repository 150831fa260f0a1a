import { wordsOf } from "../names/words.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import type { Message } from "../proto/model.ts";
import { ANNOTATIONS } from "./annotations.ts";
import { listChecks } from "./checks.ts";
import { descriptionOf } from "./comments.ts";
import { type FieldDraft, LIST_VALUE, type Planning, plainType, type Spot, type Typed } from "./context.ts";
import { element } from "./wrappers.ts";

/** The maximum number of words of a title that becomes the name of a field. */
const MAX_WORDS = 5;

const SCALARS: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/**
 * Returns the type of an array with a schema for each place: a list of scalars if all places have the same
 * scalar type, or otherwise a message.
 */
export function tupleType(planning: Planning, schema: Schema, spot: Spot): Typed {
  const { shape, limits } = schema;
  if (shape.kind !== "tuple") return plainType(LIST_VALUE);
  const nodes = shape.rest === undefined ? shape.items : [...shape.items, shape.rest];
  const [first, ...others] = nodes.map((node) => scalarOf(planning, node, spot));
  if (first !== undefined && others.every((other) => other?.name === first.name)) {
    return { ...plainType(first), label: "repeated", checks: listChecks(limits, false, undefined, false) };
  }
  // only JSON has places without names
  if (spot.textual === true) return plainType(LIST_VALUE, "tuple");
  return plainType({ kind: "message", message: planning.messageOf(schema, spot) });
}

/** Returns the scalar type of the values of a schema; undefined if these are not scalars, or may be null. */
function scalarOf(planning: Planning, node: SchemaNode, spot: Spot) {
  const { nullable, shape } = planning.schemas.read(node);
  if (nullable || !SCALARS.has(shape.kind)) return undefined;
  const { type } = planning.typeOf(node, spot);
  return type.kind === "scalar" ? type : undefined;
}

/** Adds a field for each place of an array, and a field for further items. */
export function fillTuple(planning: Planning, message: Message, schema: Schema, spot: Spot): void {
  const { shape, limits } = schema;
  if (shape.kind !== "tuple") return;
  message.options.push({ name: "(connectrest.v1.message)", value: { tuple: true }, file: ANNOTATIONS });
  for (const [index, node] of shape.items.entries()) {
    const { nullable, notes, place, name = "" } = planning.schemas.read(node);
    const titled = [wordsOf(notes.title ?? ""), wordsOf(name)];
    const words = titled.find(({ length }) => length > 0 && length <= MAX_WORDS) ?? [
      "item",
      String(index + 1),
    ];
    const mayBeUnset = nullable || index >= (limits.minItems ?? 0);
    const isLast = index === shape.items.length - 1 && shape.rest === undefined;
    if (spot.request && mayBeUnset && !nullable && !isLast) {
      planning.report.add("null-in-tuple", place, `${message.path}.${index}`);
    }
    planning.addField(message, {
      ...draftOf(planning, node, words, index),
      typed: planning.typeOf(node, { ...spot, words: [...spot.words, ...words] }),
      // a place before the least length is also sent if it is null
      required: spot.request && index < (limits.minItems ?? 0),
      nullable: mayBeUnset,
    });
  }
  if (shape.rest === undefined) return;
  const words = ["further", "items"];
  const inner = { ...spot, words: [...spot.words, "further", "item"] };
  const typed = element(planning, planning.typeOf(shape.rest, inner), shape.rest, inner);
  planning.addField(message, {
    ...draftOf(planning, shape.rest, words, shape.items.length),
    typed: { ...typed, label: "repeated", rules: { ...typed.rules, unknown: true }, checks: undefined },
    required: false,
    nullable: false,
  });
}

function draftOf(
  planning: Planning,
  node: SchemaNode,
  words: readonly string[],
  index: number,
): Omit<FieldDraft, "typed" | "required" | "nullable"> {
  const { notes, place } = planning.schemas.read(node);
  const { deprecated } = notes;
  return {
    key: String(index),
    wire: undefined,
    number: index + 1,
    words,
    comment: descriptionOf(notes),
    deprecated,
    place,
  };
}
