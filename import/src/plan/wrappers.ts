import type { Message } from "../proto/model.ts";
import { type Planning, plainType, type Spot, type Typed } from "./context.ts";

/**
 * Returns a type without a label. A list or map is wrapped in a message, and `unwrap` writes this message as
 * its content.
 */
export function singular(planning: Planning, typed: Typed, source: string, spot: Spot): Typed {
  if (typed.label === "") return typed;
  const message = wrapper(planning, typed, source, spot);
  return { ...plainType({ kind: "message", message }), rules: { unwrap: true } };
}

function wrapper(planning: Planning, typed: Typed, source: string, spot: Spot): Message {
  const suffix = typed.label === "map" ? "map" : "list";
  const words = spot.words.at(-1) === suffix ? spot.words : [...spot.words, suffix];
  const message = planning.newMessage(`${source}!${suffix}`, words, spot);
  if (message.fields.length > 0) return message;
  message.comment =
    typed.label === "map"
      ? "A message that JSON represents as a map."
      : "A message that JSON represents as a list.";
  planning.addField(message, {
    key: "items",
    wire: undefined,
    words: [typed.label === "map" ? "entries" : "items"],
    typed,
    required: false,
    nullable: false,
    comment: "",
    deprecated: false,
    place: source,
  });
  return message;
}
