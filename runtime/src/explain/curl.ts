import type { ExplainedRequest } from "./explained.ts";

/** Returns a command for a POSIX shell that sends a request with curl. */
export function curlCommand({ verb, url, headers, body }: ExplainedRequest): string {
  const parts = [`curl ${verb === "GET" ? "" : `-X ${verb} `}${quoted(url)}`];
  for (const { name, value } of headers) {
    // curl computes the length itself, and decompresses responses only with its own option
    if (name === "content-length" || name === "accept-encoding") continue;
    parts.push(
      value === undefined ? `-H "${name}: $${variable(name)}"` : `-H ${quoted(`${name}: ${value}`)}`,
    );
  }
  if (headers.some(({ name }) => name === "accept-encoding")) parts.push("--compressed");
  const data = body && dataOf(body);
  if (data !== undefined) parts.push(data);
  return parts.join(" \\\n  ");
}

function dataOf({ text, isCut, bytes }: NonNullable<ExplainedRequest["body"]>): string | undefined {
  if (text === undefined || isCut) return "--data-binary @body";
  return bytes === 0 ? undefined : `--data-raw ${quoted(text)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function variable(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}
