import type { Content } from "../normalize/api.ts";

export function isJson(type: string): boolean {
  return (
    /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type) || type === "*/*" || type === "application/*"
  );
}

export function isForm(type: string): boolean {
  return type === "application/x-www-form-urlencoded";
}

export function isMultipart(type: string): boolean {
  return type.startsWith("multipart/");
}

/** Returns the `records` format for a media type; undefined if the media type is not a stream. */
export function recordFormat(type: string): string | undefined {
  if (type === "text/event-stream") return "EVENT_STREAM";
  return /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|stream\+json|json-seq)$/.test(type)
    ? "LINES"
    : undefined;
}

/** Returns the representation that is sent: JSON, otherwise a form, otherwise the first. */
export function preferredContent(contents: readonly Content[]): Content | undefined {
  return (
    contents.find(({ type }) => type === "application/json") ??
    contents.find(({ type }) => isJson(type)) ??
    contents.find(({ type }) => isForm(type)) ??
    contents.find(({ type }) => isMultipart(type)) ??
    contents[0]
  );
}
