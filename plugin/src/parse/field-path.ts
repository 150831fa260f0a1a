import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { FieldPath } from "../model/model.ts";

/** A dotted path of field names, resolved; or what is wrong with it. */
export type ResolvedPath =
  | { readonly fields: FieldPath; readonly fault?: undefined }
  | { readonly fields?: undefined; readonly fault: string };

/** Resolves a dotted path of .proto names in a message, e.g. `blog.name`. */
export function resolveFieldPath(message: DescMessage, path: string): ResolvedPath {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = message;
  for (const name of path.split(".")) {
    if (parent === undefined)
      return { fault: `\`${fields.at(-1)?.name}\` is not a message, so it has no field \`${name}\`` };
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

/** `; did you mean x?` for the field whose name is nearest, or the list of all where none is near. */
export function suggestion(name: string, message: DescMessage): string {
  return suggest(
    name,
    message.fields.map((field) => field.name),
  );
}

/** `; did you mean x?`, or what there is to choose from. */
export function suggest(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  if (near !== undefined) return `; did you mean \`${near}\`?`;
  if (candidates.length === 0) return "; it has none";
  return `; it has ${candidates
    .slice(0, 8)
    .map((candidate) => `\`${candidate}\``)
    .join(", ")}${candidates.length > 8 ? ", …" : ""}`;
}

/** The candidate that a name was probably meant to be; undefined where none is near. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
