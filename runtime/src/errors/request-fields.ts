import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { namesAt, type PathStep, pathOf, type Token, tokensOf } from "./field-notation.ts";
import { isUnwrapped, wireNameOf } from "./field-options.ts";

/** Translates the names that an upstream's errors use to fields of the request message. */
export interface RequestFields {
  /**
   * Returns the path of a field, in names of the .proto file and with indices in brackets, as in
   * `google.rpc.BadRequest`. The part of a path that the request does not declare keeps the upstream's names.
   */
  nameOf(path: readonly PathStep[]): string;
  /** Reports whether a whole path leads to a declared field. */
  declares(path: readonly PathStep[]): boolean;
}

/** Keys around the fields of a request, as in JSON:API, and places of a request, as in FastAPI. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "body",
  "query",
  "path",
  "header",
  "cookie",
  "data",
  "attributes",
]);

interface Found {
  readonly path: string;
  readonly isWhole: boolean;
}

/** Returns the names of a request message; without a message, only notations are translated. */
export function requestFields(input: DescMessage | undefined): RequestFields {
  const find = (path: readonly PathStep[]): Found => {
    const tokens = tokensOf(path);
    const found = input && foundIn(input, tokens);
    return found ?? { path: pathOf(tokens), isWhole: false };
  };
  return { nameOf: (path) => find(path).path, declares: (path) => find(path).isWhole };
}

function foundIn(input: DescMessage, tokens: readonly Token[]): Found | undefined {
  for (let at = 0; at < tokens.length; at++) {
    const found = inMessage(input, tokens, at) ?? inBody(input, tokens, at);
    if (found !== undefined) return found;
    if (!WRAPPERS.has(tokens[at]?.key ?? "")) return undefined;
  }
  return undefined;
}

/** Returns a field of the only message or list of the request that declares it, which may be the body. */
function inBody({ fields }: DescMessage, tokens: readonly Token[], at: number): Found | undefined {
  const isIndex = tokens[at]?.isIndex === true;
  const found = fields.flatMap((field) => {
    if (field.fieldKind === "list" && isIndex) return below(field.name, inField(field, tokens, at));
    if (field.fieldKind !== "message" || isIndex) return [];
    const inner = inMessage(field.message, tokens, at);
    return inner === undefined ? [] : below(`${field.name}.`, inner);
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the path within a message; undefined if the message does not declare the first token. */
function inMessage(
  desc: DescMessage,
  tokens: readonly Token[],
  at: number,
  seen: ReadonlySet<DescMessage> = new Set(),
): Found | undefined {
  if (desc.file.proto.package === "google.protobuf" || seen.has(desc)) return undefined;
  const names = fieldNames(desc);
  for (const [name, end] of namesAt(tokens, at)) {
    const field = names.get(name) ?? names.get(plain(name));
    if (field !== undefined) return below(field.name, inField(field, tokens, end));
  }
  // the keys of a oneof member may be in the object that contains the oneof
  const members = desc.fields.flatMap((field) => {
    if (field.oneof === undefined || field.fieldKind !== "message") return [];
    const found = inMessage(field.message, tokens, at, new Set([...seen, desc]));
    return found === undefined ? [] : below(`${field.name}.`, found);
  });
  return members.find(({ isWhole }) => isWhole) ?? members[0];
}

/** Returns the path after the name of a field. */
function inField(field: DescField, tokens: readonly Token[], at: number): Found {
  const token = tokens[at];
  if (token === undefined) return WHOLE;
  if (field.fieldKind === "list" && token.isIndex) {
    return below(`[${token.key}]`, inValue(field, tokens, at + 1));
  }
  if (field.fieldKind === "map") return below(`.${token.key}`, inValue(field, tokens, at + 1));
  return inValue(field, tokens, at);
}

/** Returns the path after a single value of a field. */
function inValue(field: DescField, tokens: readonly Token[], at: number): Found {
  if (at === tokens.length) return WHOLE;
  const { message } = field;
  const [only] = message?.fields ?? [];
  if (only !== undefined && isUnwrapped(field)) return below(`.${only.name}`, inField(only, tokens, at));
  const found = message && inMessage(message, tokens, at);
  if (found !== undefined) return below(".", found);
  const rest = pathOf(tokens.slice(at));
  return { path: rest.startsWith("[") ? rest : `.${rest}`, isWhole: false };
}

const WHOLE: Found = { path: "", isWhole: true };

function below(start: string, { path, isWhole }: Found): Found {
  return { path: start + path, isWhole };
}

const known = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/**
 * Returns the fields of a message by all of their names, and by plain names, because frameworks change the
 * case of names in errors. An exact name takes precedence over a plain name of another field.
 */
function fieldNames(desc: DescMessage): ReadonlyMap<string, DescField> {
  const before = known.get(desc);
  if (before !== undefined) return before;
  const names = new Map<string, DescField>();
  const add = (nameOf: (field: DescField) => string) => {
    for (const field of desc.fields) {
      const name = nameOf(field);
      if (name !== "" && !names.has(name)) names.set(name, field);
    }
  };
  for (const nameOf of [wireNameOf, jsonNameOf, nameOfField]) add(nameOf);
  for (const nameOf of [wireNameOf, nameOfField]) add((field) => plain(nameOf(field)));
  known.set(desc, names);
  return names;
}

function jsonNameOf({ jsonName }: DescField): string {
  return jsonName;
}

function nameOfField({ name }: DescField): string {
  return name;
}

/** Returns a name without case and punctuation. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
