/** Finds the links in responses. A linked URL belongs to the operation whose response contains the link. */
import { isJsonObject, type JsonValue, valueAt } from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "connect-rest-runtime/internal";
import type { ReadRecording, RecordedResponse } from "connect-rest-runtime/recordings";
import type { WireOperation } from "./operations.ts";

const MAX_LINKS = 100_000;

/** Relations of links to other pages (RFC 8288). */
const PAGES: ReadonlySet<string> = new Set(["next", "prev", "previous", "first", "last"]);

/** The operations of linked URLs. The oldest link is forgotten first. */
export class Links {
  private readonly operations = new Map<string, WireOperation>();

  operationOf(url: URL): WireOperation | undefined {
    return this.operations.get(nameOf(url));
  }

  /** Adds the links that the rules of a method declare, and links to other pages in the header. */
  add(
    operation: WireOperation,
    adapter: AnyMethodAdapter,
    { headers }: RecordedResponse,
    { payload }: ReadRecording,
    base: URL,
  ): void {
    const header = headers.link;
    const links = [...linksIn(adapter, payload), ...linksInHeader(typeof header === "string" ? header : "")];
    for (const link of links) {
      const url = URL.parse(link, base.href);
      if (url !== null && url.origin === base.origin) this.operations.set(nameOf(url), operation);
    }
    while (this.operations.size > MAX_LINKS) {
      const [oldest] = this.operations.keys();
      this.operations.delete(oldest ?? "");
    }
  }
}

function linksIn(adapter: AnyMethodAdapter, payload: JsonValue | undefined): readonly string[] {
  const paths: string[] = [];
  if (adapter.kind === "paginate" && adapter.next.kind === "link") paths.push(adapter.next.path);
  const status = adapter.rules.operation?.status;
  if (status?.kind === "link") paths.push(status.path);
  return paths.flatMap((path) => {
    const value = valueAt(payload, path);
    const href = isJsonObject(value) ? value.href : value;
    return typeof href === "string" && href !== "" ? [href] : [];
  });
}

function linksInHeader(header: string): readonly string[] {
  return Array.from(header.matchAll(/<([^>]*)>((?:\s*;[^,<]*)*)/g)).flatMap(
    ([, href = "", parameters = ""]) => {
      const [, relation = ""] = /;\s*rel\s*=\s*"?([^";,\s]+)/i.exec(parameters) ?? [];
      return PAGES.has(relation.toLowerCase()) ? [href] : [];
    },
  );
}

function nameOf({ origin, pathname, search }: URL): string {
  return origin + pathname + search;
}
