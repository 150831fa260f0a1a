import { replaceUnsafe } from "../text/safe-text.ts";
import type { ExplainedRequest } from "./explained.ts";

/** Returns a command for a POSIX shell that sends a request with curl. */
export function curlCommand(request: ExplainedRequest): string {
  const { verb, url, headers, body } = request;
  // --globoff: brackets and braces in the address are not patterns
  const parts = [`curl --globoff ${METHODS[verb] ?? `-X ${verb} `}${quoted(url)}`];
  for (const { name, value } of headers) {
    // curl computes the length itself, and decompresses responses only with its own option
    if (name === "content-length" || name === "accept-encoding") continue;
    parts.push(
      value === undefined ? `-H "${name}: $${variable(name)}"` : `-H ${quotedBytes(`${name}: ${value}`)}`,
    );
  }
  if (headers.some(({ name }) => name === "accept-encoding")) parts.push("--compressed");
  if (body === undefined) {
    // curl sends no length for a method with an empty body, and some servers require it
    if (WITH_BODY.has(verb)) parts.push("-H 'content-length: 0'");
  } else {
    parts.push(dataOf(body));
  }
  const command = parts.join(" \\\n  ");
  return [...hintsOn(request, command), command].join("\n");
}

const METHODS: Readonly<Record<string, string>> = { GET: "", HEAD: "--head " };
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Returns comments that say what the command lacks. */
function hintsOn({ headers, credentials }: ExplainedRequest, command: string): string[] {
  const hidden = headers.filter(({ value }) => value === undefined).map(({ name }) => `$${variable(name)}`);
  return [
    ...(hidden.length === 0 ? [] : [`# set ${hidden.join(" and ")} to the hidden values`]),
    ...(credentials === "unknown" ? ["# the credentials are added when the call is sent; add them"] : []),
    ...(command.includes("[secret]") ? ["# replace each [secret] with its value"] : []),
    ...(command.includes("@body") ? ["# write the body into the file named body"] : []),
  ];
}

/** Returns the option for a body. An argument cannot contain NUL. */
function dataOf({ text, isCut }: NonNullable<ExplainedRequest["body"]>): string {
  return text === undefined || isCut || text.includes("\0") || isUnsafeAtEnd(text)
    ? "--data-binary @body"
    : `--data-raw ${quoted(text)}`;
}

/** Returns whether a text has unsafe characters, and a line break at its end, which a shell would remove. */
function isUnsafeAtEnd(text: string): boolean {
  return text.endsWith("\n") && replaceUnsafe(text, () => "") !== text;
}

/** Quotes a header, whose characters are single bytes. A shell writes other characters in UTF-8. */
function quotedBytes(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return quoted(text);
  const escapes = text
    .replaceAll("\\", "\\\\")
    .replace(/[\x80-\xff]/g, (character) => `\\0${character.charCodeAt(0).toString(8)}`);
  return `"$(printf '%b' ${quoted(escapes)})"`;
}

/** Quotes a word. The command contains escapes in place of characters that could deceive its reader. */
function quoted(text: string): string {
  if (replaceUnsafe(text, () => "") === text) return `'${text.replaceAll("'", "'\\''")}'`;
  const escapes = replaceUnsafe(text.replaceAll("\\", "\\\\"), (character) =>
    [...new TextEncoder().encode(character)]
      .map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`)
      .join(""),
  );
  return `"$(printf '%b' '${escapes.replaceAll("'", "'\\''")}')"`;
}

/** Returns the variable for a hidden value. Its prefix separates it from variables such as `USER`. */
function variable(name: string): string {
  return `HEADER_${name.toUpperCase()}`.replace(/[^A-Z0-9_]+/g, "_");
}
