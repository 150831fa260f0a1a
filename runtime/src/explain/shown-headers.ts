import { redactTexts } from "../errors/redact.ts";
import { safeText } from "../text/safe-text.ts";
import type { Secret } from "../text/secret.ts";
import type { ExplainedHeader } from "./explained.ts";

/** The headers whose values never contain credentials. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding accept-language accept-ranges age allow cache-control connection " +
    "content-disposition content-encoding content-language content-length content-range " +
    "content-type date deprecation etag expect expires if-match if-modified-since if-none-match " +
    "if-unmodified-since keep-alive last-modified link location prefer preference-applied range " +
    "retry-after server sunset traceparent tracestate transfer-encoding user-agent vary " +
    "x-request-id"
  ).split(" "),
);

const RATE_LIMIT = /^(?:x-)?rate-?limit(?:-|$)/;

/** The maximum length of a value, in characters. */
const MAX_SHOWN = 8192;

/** The headers whose values are always hidden. */
const HIDDEN: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "set-cookie",
  "www-authenticate",
]);

/**
 * Hides the parts of addresses in `Location` and `Link` (RFC 8288) that may be credentials. Of the parameters
 * of a link, only `rel` is shown, because others may be addresses too.
 */
function withoutSecretAddresses(name: string, value: string): string {
  if (name === "location") return withoutSecretParts(value);
  if (name !== "link") return value;
  const links = Array.from(value.matchAll(/<([^<>]*)>([^<]*)/g), ([, url = "", parameters = ""]) => {
    const [rel = ""] = /; *rel=(?:[\w-]+|"[\w -]*")/i.exec(parameters) ?? [];
    return `<${withoutSecretParts(url)}>${rel}`;
  });
  return links.length === 0 ? "[secret]" : links.join(", ");
}

/**
 * Hides the parts of an address that may be credentials: the user, the password, and the query, which
 * signs the address at many storage services.
 */
export function withoutSecretParts(url: string): string {
  // as browsers read addresses (URL Standard)
  const plain = url
    .trim()
    .replace(/\p{Cc}/gu, "")
    .replace(/^[^?#]*/, (start) => start.replaceAll("\\", "/"));
  return plain
    .replace(/^(?:([a-z][a-z0-9+.-]*:)\/*|\/{2,})[^/?#]*@/i, "$1//[secret]@")
    .replace(/[?#].*$/s, "?[secret]");
}

/**
 * Returns headers for an explanation. The values of unknown headers are hidden.
 *
 * @param declared the names of headers that the description of the method declares
 */
export function shownHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
  declared: ReadonlySet<string>,
  secrets: readonly Secret[],
): ExplainedHeader[] {
  const all = Array.from(headers, ([name, value]) => {
    const isKnown = SHOWN.has(name) || RATE_LIMIT.test(name) || declared.has(name);
    const isShown = isKnown && !HIDDEN.has(name);
    return { name, value: isShown ? withoutSecretAddresses(name, value) : undefined };
  });
  const texts = redactTexts(
    all.flatMap(({ name, value }) => [name, value ?? ""]),
    secrets,
  );
  return all.map(({ value }, at) => ({
    name: texts[2 * at] ?? "",
    value: value === undefined ? undefined : safeText(texts[2 * at + 1] ?? "", MAX_SHOWN),
  }));
}
