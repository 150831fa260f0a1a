import type { SchemaNode } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import { type Message, Token } from "../proto/model.ts";
import { plainType, scalar } from "./context.ts";
import type { Planner } from "./planner.ts";

/** Reports whether a field of a multipart body is a file, or a list of files. */
export function isFile(schemas: Schemas, node: SchemaNode): { readonly repeated: boolean } | undefined {
  const schema = schemas.read(node);
  if (schema.shape.kind === "string" && schema.format === "binary") return { repeated: false };
  if (schema.shape.kind !== "array" || schema.shape.items === undefined) return undefined;
  const item = schemas.read(schema.shape.items);
  return item.shape.kind === "string" && item.format === "binary" ? { repeated: true } : undefined;
}

const SOURCE = "#file";

/** Returns the message for files with their names. A package has only one such message. */
export function filePart(planner: Planner): Message {
  const spot = { root: undefined, words: [], element: SOURCE, request: true };
  const message = planner.newMessage(SOURCE, ["file", "part"], spot);
  if (message.fields.length > 0) return message;
  message.comment = "A file in a multipart body.";
  const fields = [
    ["content", "bytes", "CONTENT", "The content of the file."],
    ["filename", "string", "FILENAME", "The file name. Servers may need it to recognize the part as a file."],
    ["content_type", "string", "CONTENT_TYPE", "The Content-Type of the file."],
  ] as const;
  for (const [name, type, piece, comment] of fields) {
    planner.addField(message, {
      key: name,
      wire: undefined,
      typed: { ...plainType(scalar(type)), rules: { piece: new Token(piece) } },
      required: false,
      nullable: false,
      comment,
      deprecated: false,
      place: SOURCE,
    });
  }
  return message;
}
