import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { suggest } from "../diagnostics/suggest.ts";
import type { FieldPath } from "./model.ts";

/** A resolved dotted path of field names, or its fault. */
export type ResolvedPath =
  | { readonly fields: FieldPath; readonly fault?: undefined }
  | { readonly fields?: undefined; readonly fault: string };

/** Resolves a dotted path of field names in a message, for example `blog.name`. */
export function resolveFieldPath(message: DescMessage, path: string): ResolvedPath {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = message;
  for (const name of path.split(".")) {
    if (parent === undefined) {
      return { fault: `\`${fields.at(-1)?.name}\` is not a message, so it has no field \`${name}\`` };
    }
    const field: DescField | undefined = parent.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      return { fault: `message ${parent.typeName} has no field \`${name}\`${suggestion(name, parent)}` };
    }
    fields.push(field);
    parent = field.fieldKind === "message" ? field.message : undefined;
  }
  const [first, ...rest] = fields;
  return first === undefined ? { fault: "the path is empty" } : { fields: [first, ...rest] };
}

/**
 * Returns `; did you mean x?` for the field with the closest name, or the list of all fields if no name is
 * close.
 */
export function suggestion(name: string, message: DescMessage): string {
  return suggest(
    name,
    message.fields.map((field) => field.name),
  );
}
