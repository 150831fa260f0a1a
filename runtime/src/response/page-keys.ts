import { type FoundDifferences, KnownPaths, NO_DIFFERENCES } from "connect-rest-codec/internal";
import type { PaginateAdapter, PollAdapter } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { ERRORS_PATH } from "./envelope.ts";
import type { Page } from "./page.ts";

type ListAdapter = PaginateAdapter | PollAdapter;

const KNOWN = new WeakMap<ListAdapter, KnownPaths>();

/** The keys that a page has beside its items, and that neither a rule reads nor `known` names. */
export function unknownKeys(adapter: ListAdapter, { path, payload }: Page): FoundDifferences {
  // the payload is the list
  if (path === "") return NO_DIFFERENCES;
  let known = KNOWN.get(adapter);
  if (known === undefined) {
    known = new KnownPaths([...pathsRead(adapter), ...(adapter.known ?? [])]);
    KNOWN.set(adapter, known);
  }
  return known.beyond(payload);
}

/** The paths that rules read, from the payload. */
function pathsRead(adapter: ListAdapter): readonly string[] {
  const { items, rules } = adapter;
  const ofList = [items].flat().filter((path) => path !== "");
  const ofPages = adapter.kind === "paginate" ? pathsOfPages(adapter) : [];
  return [...ofList, ...ofPages, ...pathsOfBody(rules)];
}

function pathsOfPages({ next, more }: PaginateAdapter): readonly string[] {
  const paths = more === undefined ? [] : [more.key];
  switch (next.kind) {
    case "link":
      // a payload that is a link itself has one key for that
      return [...paths, next.path || "href", ...(next.query === undefined ? [] : [next.query])];
    case "cursor":
      return next.from === "payload" ? [...paths, ...next.paths] : paths;
    case "step":
      return next.total === undefined ? paths : [...paths, next.total];
    case "link_header":
      return paths;
  }
}

/** What is read of every body, where it is below the payload. */
function pathsOfBody({ envelope, errors }: MethodRules): readonly string[] {
  const { payload = [], status, message, errors: errorsPath = ERRORS_PATH } = envelope ?? {};
  const ofEnvelope = payload.length === 0 ? [] : [status, message, errorsPath];
  const paths = [...ofEnvelope, ...errors.map(({ body }) => body?.key)].filter((path) => path !== undefined);
  const roots = payload.length === 0 ? [""] : payload;
  return roots.flatMap((root) => paths.flatMap((path) => below(root, path)));
}

function below(root: string, path: string): readonly string[] {
  if (root === "") return [path];
  return path.startsWith(`${root}.`) ? [path.slice(root.length + 1)] : [];
}
