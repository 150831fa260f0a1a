import type { Notes } from "../normalize/schema.ts";

/** The comment of a schema: its description, or else its title, and its default. */
export function descriptionOf(notes: Notes): string {
  const text = notes.description?.trim() || notes.title?.trim() || "";
  const fallback = notes.default;
  if (fallback === undefined || fallback === null || typeof fallback === "object" || fallback === "") {
    return text;
  }
  return `${text}${text === "" ? "" : "\n"}Default: ${fallback}.`;
}
