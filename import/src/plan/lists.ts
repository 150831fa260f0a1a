import type { Message } from "../proto/model.ts";
import type { Planning, Spot, Typed } from "./context.ts";

/** A message with one list, to be unwrapped. */
export function listMessage(planning: Planning, typed: Typed, source: string, spot: Spot): Message {
  const message = planning.newMessage(
    source,
    spot.words.at(-1) === "list" ? spot.words : [...spot.words, "list"],
    spot,
  );
  if (message.fields.length > 0) return message;
  message.comment = "A list.";
  planning.addField(message, {
    key: "items",
    wire: "items",
    typed,
    required: false,
    nullable: false,
    comment: "",
    deprecated: false,
    place: source,
  });
  return message;
}
