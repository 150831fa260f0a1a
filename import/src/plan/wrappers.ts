import { keyOf, type SchemaNode } from "../normalize/schema.ts";
import type { Message } from "../proto/model.ts";
import { type Planning, plainType, type Spot, type Typed, VALUE } from "./context.ts";

/**
 * Returns a type without a label. A list or map is wrapped in a message, and `unwrap` writes this message as
 * its content.
 */
export function singular(planning: Planning, typed: Typed, source: string, spot: Spot): Typed {
  if (typed.label === "") return typed;
  const message = wrapper(planning, typed, source, spot);
  return { ...plainType({ kind: "message", message }), rules: { unwrap: true } };
}

/**
 * Returns the type of a list item, a map value, or a field that may be null, without a label. A message with
 * one optional field contains a value that may be null.
 */
export function element(planning: Planning, typed: Typed, node: SchemaNode, spot: Spot): Typed {
  const source = keyOf(node);
  const inner = singular(planning, typed, source, spot);
  if (!planning.schemas.read(node).nullable || inner.type === VALUE) return inner;
  // in a form or query, null would be a string
  if (spot.textual === true) {
    planning.report.add("null-in-request", source, spot.element);
    return inner;
  }
  const words = ["nullable", ...spot.words, ...(typed.label === "" ? [] : [suffixOf(typed)])];
  const message = planning.newMessage(`${source}!nullable`, words, spot);
  if (message.fields.length === 0) {
    message.comment = "A message that JSON represents as its value, or as null.";
    planning.addField(message, {
      ...CONTENT,
      key: "value",
      words: ["value"],
      typed: inner,
      nullable: true,
      place: source,
    });
  }
  return { ...plainType({ kind: "message", message }), rules: { unwrap: true } };
}

const CONTENT = { wire: undefined, required: false, comment: "", deprecated: false } as const;

function wrapper(planning: Planning, typed: Typed, source: string, spot: Spot): Message {
  const suffix = suffixOf(typed);
  const words = spot.words.at(-1) === suffix ? spot.words : [...spot.words, suffix];
  const message = planning.newMessage(`${source}!${suffix}`, words, spot);
  if (message.fields.length > 0) return message;
  message.comment =
    typed.label === "map"
      ? "A message that JSON represents as a map."
      : "A message that JSON represents as a list.";
  planning.addField(message, {
    ...CONTENT,
    key: "items",
    words: [typed.label === "map" ? "entries" : "items"],
    typed,
    nullable: false,
    place: source,
  });
  return message;
}

function suffixOf({ label }: Typed): string {
  return label === "map" ? "map" : "list";
}
