import type { Notes } from "../normalize/schema.ts";

/** Returns the comment of a schema: its description, otherwise its title, and its default. */
export function descriptionOf(notes: Notes): string {
  const text = notes.description?.trim() || notes.title?.trim() || "";
  const fallback = notes.default;
  if (fallback === undefined || fallback === null || typeof fallback === "object" || fallback === "") {
    return text;
  }
  return `${text}${text === "" ? "" : "\n"}Default: ${fallback}.`;
}
