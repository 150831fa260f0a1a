import type { DescMessage } from "@bufbuild/protobuf";
import {
  isJsonObject,
  type JsonValue,
  NumberText,
  parseJson,
  parseJsonVerbatim,
  type ReportedStep,
  reportedSteps,
  valueAt,
} from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import type { ErrorShape, MethodRules } from "../adapter/rules.ts";
import { redactTexts } from "../errors/redact.ts";
import type { Secret } from "../text/secret.ts";
import type { Placeholders } from "./placeholder.ts";
import { MAX_KEPT, type ReadRecording } from "./recording-reader.ts";

/** An object or list of a parsed body, whose values are replaced. */
type Holder = Record<string | number, JsonValue | undefined>;

/** The expectations of differences at keys that no field declares. */
const UNDECLARED: ReadonlySet<string> = new Set(["no such key", "no other member of the oneof"]);

/**
 * Returns a JSON body in which the values that the description does not declare are placeholders: the values
 * of unknown keys, whether or not a field collects them, unknown enum values, and values that a declared
 * field cannot hold. Of an error body, only the values that rules for errors read are kept. Returns undefined
 * if such a value cannot be located, or if there are too many.
 *
 * @param body the body with numbers in their notation; the result may share parts with it
 * @param read the result of reading the same body
 */
export function privateBody(
  adapter: AnyMethodAdapter,
  body: JsonValue,
  read: ReadRecording,
  placeholders: Placeholders,
): JsonValue | undefined {
  const { rules } = adapter;
  if (read.differences.length >= MAX_KEPT) return undefined;
  const isRead = read.error === undefined && read.body !== undefined;
  if (!isRead || !hasDeclaredKeys(adapter.method.output)) {
    const kept = pathsOfErrors(rules).map((path) => path.split("."));
    return withKept(body, kept, placeholders);
  }
  const holder: Holder = { body: declaredPart(body, read.body, read.undeclared, placeholders) };
  const roots = rootsOf(rules).map((path) => ["body", ...path].map(plainStep));
  const replaceAt = (steps: readonly ReportedStep[]) =>
    roots.filter((root) => replace(holder, [...root, ...steps], placeholders)).length > 0;
  for (const path of unreadPaths(adapter, body)) replaceAt(path.split(".").map(plainStep));
  for (const { class: as, path, expected, got } of read.differences) {
    if (as === "converted" || UNDECLARED.has(expected) || got === "nothing") continue;
    if (!replaceAt(path === "(root)" ? [] : reportedSteps(path))) return undefined;
  }
  return holder.body;
}

/** Reports whether a message declares the keys of its body: it is neither empty nor the bytes of the body. */
function hasDeclaredKeys({ fields, typeName }: DescMessage): boolean {
  const isBytes = [typeName, ...fields.map(({ message }) => message?.typeName)].includes(
    "google.api.HttpBody",
  );
  return fields.length > 0 && !isBytes;
}

/**
 * Returns a copy of a value, in which the values of undeclared keys are replaced.
 *
 * @param read the same value as it was read
 */
function declaredPart(
  value: JsonValue,
  read: JsonValue | undefined,
  undeclared: ReadRecording["undeclared"],
  placeholders: Placeholders,
): JsonValue {
  if (typeof value !== "object" || value === null || value instanceof NumberText) return value;
  const keys = typeof read === "object" && read !== null ? undeclared.get(read) : undefined;
  const part = (each: JsonValue, key: string | number) =>
    keys?.has(key) === true
      ? placeholders.of(each)
      : declaredPart(each, (read as Holder | undefined)?.[key], undeclared, placeholders);
  if (Array.isArray(value)) return value.map((each: JsonValue, index) => part(each, index));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, each === undefined ? undefined : part(each, key)]),
  );
}

/** The part of a body in which secrets are replaced. */
type Part = "keys" | "values";

/**
 * Returns a JSON body without secrets in its keys or in its values: `[secret]` takes their place. A number
 * that contains a secret becomes a text.
 */
export function withoutSecrets(body: JsonValue, secrets: readonly Secret[], part: Part): JsonValue {
  if (secrets.length === 0) return body;
  const texts: string[] = [];
  walk(body, part, (text) => {
    texts.push(text);
    return text;
  });
  const shown = redactTexts(texts, secrets);
  let at = 0;
  return walk(body, part, (text) => shown[at++] ?? text);
}

/** Returns a value in which a function replaces each key, or each text and each number. */
function walk(value: JsonValue, part: Part, replaced: (text: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => walk(each, part, replaced));
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, each]) => [
      part === "keys" ? replaced(key) : key,
      each === undefined ? undefined : walk(each, part, replaced),
    ]);
    return Object.fromEntries(members) as JsonValue;
  }
  if (part === "keys" || value === null || typeof value === "boolean") return value;
  const source = String(value);
  const shown = replaced(source);
  return shown === source ? value : shown;
}

/** Returns a parsed body, in which numbers keep their notation. Undefined if the text is not JSON. */
export function parsedBody(text: string): JsonValue | undefined {
  try {
    return parseJsonVerbatim(text) ?? parseJson(text);
  } catch {
    return undefined;
  }
}

function plainStep(key: string): ReportedStep {
  return { key, isCut: false, isPlain: true };
}

/**
 * Returns the dotted paths of values that the description expects, but that no field and no rule reads: the
 * `known` keys, and keys of objects of which rules read only one value: a link to the next page, and the
 * holder of a list that is also an alternative place of the list.
 */
function unreadPaths(adapter: AnyMethodAdapter, body: JsonValue): readonly string[] {
  const known = adapter.rules.envelope?.known ?? [];
  if (adapter.kind !== "paginate") return known;
  const { next, items, known: ofPage = [] } = adapter;
  const keysAt = (path: string) =>
    rootsOf(adapter.rules).flatMap((root) => {
      const value = valueAt(body, [...root, path].join("."));
      return isJsonObject(value) ? Object.keys(value).map((key) => `${path}.${key}`) : [];
    });
  const { path = "", query } = next.kind === "link" ? next : {};
  const read = [`${path}.href`, ...items, ...(query === undefined ? [] : [query])];
  const around = [path, ...items].filter((each) => each !== "").flatMap(keysAt);
  const unread = around.filter((each) => !read.some((other) => `${other}.`.startsWith(`${each}.`)));
  return [...known, ...ofPage, ...unread];
}

/**
 * Returns the places from which the paths of differences may start: the body, and each possible payload. A
 * path that exists at several of them is replaced at all.
 */
function rootsOf({ envelope, operation }: MethodRules): string[][] {
  const payloads = ["", ...(envelope?.payload ?? [])];
  const results =
    operation?.result === undefined ? [] : payloads.map((path) => `${path}.${operation.result}`);
  return [...new Set([...payloads, ...results])].map((path) => path.split(".").filter((step) => step !== ""));
}

/**
 * Replaces the values at a path, and reports whether there are any. Differences omit the indexes of lists
 * that stand for one object, and cut long keys.
 */
function replace(
  holder: Holder,
  [step, ...rest]: readonly ReportedStep[],
  placeholders: Placeholders,
): boolean {
  if (step === undefined) return false;
  const { key, isCut } = step;
  const isIndex = typeof key === "number";
  if (!isIndex && Array.isArray(holder)) {
    return (
      (holder as JsonValue[]).filter((item) => replaceIn(item, [step, ...rest], placeholders)).length > 0
    );
  }
  const keys = isCut ? Object.keys(holder).filter((each) => each.startsWith(String(key))) : [key];
  const replaced = keys.filter((each) => {
    const value = Object.hasOwn(holder, each) ? holder[each] : undefined;
    if (value === undefined) return false;
    if (rest.length > 0) return replaceIn(value, rest, placeholders);
    Object.defineProperty(holder, each, { value: placeholders.of(value) });
    return true;
  });
  return replaced.length > 0;
}

function replaceIn(value: JsonValue, path: readonly ReportedStep[], placeholders: Placeholders): boolean {
  const isHolder = isJsonObject(value) || Array.isArray(value);
  return isHolder && replace(value as unknown as Holder, path, placeholders);
}

/** Returns a value in which only the values at these paths are kept. Lists do not count as steps. */
function withKept(
  value: JsonValue,
  kept: readonly (readonly string[])[],
  placeholders: Placeholders,
): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => withKept(each, kept, placeholders));
  if (!isJsonObject(value)) return kept.some((path) => path.length === 0) ? value : placeholders.of(value);
  const members = Object.entries(value).flatMap(([key, each]) => {
    if (each === undefined) return [];
    const below = kept.filter(([first]) => first === key || first === "*").map(([, ...rest]) => rest);
    return [[key, withKept(each, below, placeholders)] as const];
  });
  return Object.fromEntries(members);
}

/** Returns the dotted paths that rules read in an error body. `*` is any key. */
function pathsOfErrors({
  envelope,
  errors,
  errorMetadata = [],
  errorShapes,
  retryAfter,
}: MethodRules): string[] {
  const paths = [
    envelope?.status,
    envelope?.message,
    ...errors.map(({ body }) => body?.key),
    ...[...errorMetadata, ...retryAfter].map(({ path }) => path),
    ...errorShapes.flatMap(pathsOfShape),
  ];
  return paths.filter((path) => path !== undefined).filter((path) => path !== "");
}

function pathsOfShape(shape: ErrorShape): string[] {
  switch (shape.kind) {
    case "items":
      return [shape.title, shape.code, shape.detail, shape.field]
        .filter((key) => key !== undefined)
        .map((key) => (shape.path === "" ? key : `${shape.path}.${key}`));
    case "title_map":
    case "field_map":
      return [shape.path === "" ? "*" : `${shape.path}.*`];
    case "text":
      return [shape.path];
    case "oauth":
      return ["error", "error_description"];
    case "rpc_status":
      return ["code", "status", "message"].flatMap((key) => [key, `error.${key}`]);
  }
}
