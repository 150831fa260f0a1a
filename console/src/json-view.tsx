import type { JsonValue } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Copy } from "./copy.tsx";
import { formatJson } from "./json.ts";
import { TextView } from "./text-view.tsx";

/** The length of a text beyond which only its beginning is shown, in characters. */
const MAX_SHOWN = 100_000;

/** The parts of formatted JSON: keys, strings, numbers and literals. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** JSON with colors. Addresses become links, which are loaded only if the user follows them. */
export function JsonView({ value, label }: { value: JsonValue; label: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const text = formatJson(value);
  const isCut = text.length > MAX_SHOWN && !isWhole;
  return (
    <>
      <TextView label={label}>{tokens(isCut ? text.slice(0, MAX_SHOWN) : text)}</TextView>
      {isCut ? (
        <button type="button" onClick={() => setIsWhole(true)}>
          Show all {Math.round(text.length / 1000).toLocaleString("en")} KB
        </button>
      ) : null}
    </>
  );
}

function tokens(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    end = match.index + token.length;
    const address = string !== undefined && colon === undefined ? addressIn(string) : undefined;
    if (address !== undefined) {
      parts.push(<Address key={match.index} address={address} text={token} />);
    } else {
      parts.push(
        <span key={match.index} class={kindOf(string, colon)}>
          {token}
        </span>,
      );
    }
  }
  parts.push(text.slice(end));
  return parts;
}

function kindOf(string: string | undefined, colon: string | undefined): string {
  if (string === undefined) return "literal";
  return colon === undefined ? "string" : "key";
}

/** Returns the address in a string of JSON whose beginning looks like one. */
function addressIn(token: string): string | undefined {
  return /^"https?:/i.test(token) ? (JSON.parse(token) as string) : undefined;
}

/**
 * A link that does not reveal this page to its target, and a button that copies the address. Only http and
 * https addresses become links; others, e.g. `javascript:`, remain text.
 */
export function Address({ address, text = address }: { address: string; text?: string }) {
  if (!/^https?:\/\//i.test(address)) return <span>{text}</span>;
  return (
    <span class="address">
      <a href={address} target="_blank" rel="noreferrer noopener">
        {text}
      </a>
      <Copy what="address" text={() => address} isSmall />
    </span>
  );
}
