import { KnownPaths, type ProtoWriter } from "connect-rest-codec/internal";
import type { PaginateAdapter, PollAdapter } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { noteAround, pathsOfBody } from "./envelope-keys.ts";
import type { Page } from "./page.ts";
import { restBelow } from "./success-errors.ts";

type ListAdapter = PaginateAdapter | PollAdapter;

/** The known paths in the payload, by the status of the response. */
const KNOWN = new WeakMap<ListAdapter, Map<number, KnownPaths>>();

/**
 * Notes the unknown keys next to a page's items and its payload. A key is unknown if no rule reads it and
 * `known` does not contain it.
 */
export function noteUnknownKeys(
  adapter: ListAdapter,
  { path, payload, body }: Page,
  status: number,
  out: ProtoWriter,
): void {
  // otherwise the payload itself is the list
  if (path !== "") knownInPayload(adapter, status).note(payload, out);
  const read = pathsRead(adapter);
  noteAround(adapter.rules, body, status, (each) => read.some((other) => areNested(each, other)), out);
}

function knownInPayload(adapter: ListAdapter, status: number): KnownPaths {
  const byStatus = KNOWN.get(adapter) ?? new Map<number, KnownPaths>();
  KNOWN.set(adapter, byStatus);
  let known = byStatus.get(status);
  if (known === undefined) {
    known = new KnownPaths([
      ...pathsRead(adapter),
      ...pathsInPayload(adapter.rules, status),
      ...(adapter.known ?? []),
    ]);
    byStatus.set(status, known);
  }
  return known;
}

function areNested(path: string, other: string): boolean {
  return restBelow(path, other) !== undefined || restBelow(other, path) !== undefined;
}

/** Returns the paths that the rules of the list read, relative to the payload. */
function pathsRead(adapter: ListAdapter): readonly string[] {
  const { items } = adapter;
  const ofList = [items].flat().filter((path) => path !== "");
  const ofPages = adapter.kind === "paginate" ? pathsOfPages(adapter) : [];
  return [...ofList, ...ofPages];
}

function pathsOfPages({ next, more }: PaginateAdapter): readonly string[] {
  const paths = more === undefined ? [] : [more.key];
  switch (next.kind) {
    case "link":
      // if the payload itself is the link, its only known key is `href`
      return [...paths, next.path || "href", ...(next.query === undefined ? [] : [next.query])];
    case "cursor":
      return next.from === "payload" ? [...paths, ...next.paths] : paths;
    case "step":
      return next.total === undefined ? paths : [...paths, next.total];
    case "link_header":
      return paths;
  }
}

/** Returns the paths within the payload that are read in every body with a success status. */
function pathsInPayload(rules: MethodRules, status: number): readonly string[] {
  const { payload = [], known = [] } = rules.envelope ?? {};
  const paths = [...pathsOfBody(rules, status), ...known];
  const roots = payload.length === 0 ? [""] : payload;
  return roots
    .flatMap((root) => paths.map((path) => restBelow(root, path)))
    .filter((path) => path !== undefined && path !== "") as string[];
}
