/** Checks the syntax of strings in rules, and formats the names of rules in messages. */
import type { DescEnum } from "@bufbuild/protobuf";

/** Returns the name of an enum value as it is written in rules. */
export function valueName(desc: DescEnum, number: number): string {
  return desc.value[number]?.name ?? String(number);
}

/**
 * Reports whether a string is an HTTP field name (RFC 9110 section 5.1), which is a token. Cookie names are
 * tokens too (RFC 6265).
 */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

// the headers of the connection and the message framing (RFC 9110 section 7.2 and 7.6.1, RFC 9112 section 6)
const OWN_OF_TRANSPORT: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** The headers that an upstream sets for all of its requests. They replace any other value. */
const OWN_OF_UPSTREAM: ReadonlySet<string> = new Set("accept-encoding user-agent".split(" "));

/** Returns the fault of a request header name in a rule; undefined if the name is valid. */
export function requestHeaderFault(name: string): string | undefined {
  if (!isToken(name)) return headerFault(name);
  if (OWN_OF_UPSTREAM.has(name.toLowerCase())) {
    return `the header \`${name}\` belongs to the configuration of the upstream, and rules cannot set it`;
  }
  if (!OWN_OF_TRANSPORT.has(name.toLowerCase())) return undefined;
  return `the header \`${name}\` belongs to the connection, and rules cannot set it`;
}

/** Returns the fault of a header name; undefined if the name is valid. */
export function headerFault(name: string): string | undefined {
  return isToken(name)
    ? undefined
    : `\`${name}\` is not a valid header name (RFC 9110 section 5.1); expected e.g. \`X-Name\``;
}

/**
 * Returns the fault of a dotted path, in which keys with dots are quoted; undefined if the path is valid. `.`
 * alone is the root, if `root` allows it.
 */
export function pathFault(path: string, root: "root" | "no root"): string | undefined {
  if (path === ".") {
    return root === "root" ? undefined : "the path `.` is the root; expected the path of a key, e.g. `a.b`";
  }
  if (/\[\d*\]/.test(path.replaceAll(/'[^']*'/g, ""))) {
    const expected = path.replaceAll(/\[(\d*)\]/g, ".$1").replace(/\.$/, ".0");
    return `the path \`${path}\` has an index in brackets, which is a step of its own: write \`${expected}\`; a key with brackets stands in quotes`;
  }
  if (/^(?:'[^']+'|[^.']+)(?:\.(?:'[^']+'|[^.']+))*$/.test(path)) return undefined;
  const expected = root === "root" ? "`a.b`, or `.` for the root" : "`a.b`";
  if (path.includes("'")) {
    return `the path \`${path}\` has a quote that is not around a whole key; expected e.g. \`a.'b.c'\``;
  }
  return `the path \`${path}\` has an empty key; expected keys joined by dots: ${expected}`;
}

/** Returns the replacement for a key that resembles a path with an index; undefined for other keys. */
export function indexInKey(key: string): string | undefined {
  const [, list, bracket, dot] = /^(.+?)(?:\[(\d+)\]|\.(\d+))$/.exec(key) ?? [];
  return list === undefined ? undefined : `${list}.${bracket ?? dot}`;
}
