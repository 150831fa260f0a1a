/** Writes whole payloads, and single values outside of objects. */
import type { FieldEntry, Kind } from "../table/message-table.ts";
import { MessageTable } from "../table/message-table.ts";
import type { Field } from "./difference-writer.ts";
import { kindWriter, type WriteValue } from "./kind-writer.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import { readingOf } from "./table-decoder.ts";

const WRITERS = new WeakMap<FieldEntry, WriteValue>();

/**
 * Writes a payload: a message, or one field of it.
 *
 * @throws WrongShape, JsonTooDeep
 */
export function writePayload(out: ProtoWriter, payload: Field, body: MessageTable | FieldEntry): void {
  if (body instanceof MessageTable) {
    writeMessage(out, payload, body);
    return;
  }
  let write = WRITERS.get(body);
  if (write === undefined) {
    const [number, kind] = body;
    write = valueWriter(kind, number);
    WRITERS.set(body, write);
  }
  write(payload, out, "");
}

function writeMessage(out: ProtoWriter, payload: Field, table: MessageTable): void {
  const { from, decode } = readingOf(table);
  switch (from) {
    case "object":
      out.root(payload, decode);
      break;
    case "array":
      out.rootItems(payload, decode);
      break;
    case "value":
      out.value(payload, decode);
      break;
    case "null":
      decode(payload ?? null, out);
  }
}

/** Returns the function that writes values of a kind into a field. */
export function valueWriter(kind: Kind, field: number): WriteValue {
  return kindWriter(kind, field, { readingOf });
}
