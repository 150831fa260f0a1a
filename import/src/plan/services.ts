import { Scope } from "../names/scope.ts";
import { pascal, snake, wordsOf } from "../names/words.ts";
import type { Api, Operation, Parameter } from "../normalize/api.ts";
import {
  type Message,
  type Method,
  type Option,
  type OptionValue,
  type Service,
  Token,
} from "../proto/model.ts";
import { ANNOTATIONS, HTTP } from "./annotations.ts";
import type { Bases } from "./bases.ts";
import { type Credentials, credentialsOf } from "./credentials.ts";
import { type ErrorBodies, errorBodiesOf, sharedErrorBodies } from "./error-bodies.ts";
import { methodName } from "./method-names.ts";
import { nameOf } from "./page.ts";
import { likePages, type Pages, pagesOf } from "./pages.ts";
import type { NameStyle, Planner } from "./planner.ts";
import { planRequest } from "./requests.ts";
import { planItem, planResponse } from "./responses.ts";

/** A service with its operations, before their methods are planned. */
export interface ServiceDraft {
  readonly name: string;
  readonly tag: string;
  readonly methods: readonly MethodDraft[];
}

export interface MethodDraft {
  readonly name: string;
  readonly operation: Operation;
  /** The identity in the lock: the place of the operation, with a suffix for an additional method. */
  readonly source: string;
  /** Set for an additional method that streams the items of all pages of the operation. */
  readonly pages: Pages | undefined;
  /** The name of the request and response messages, without `Request` and `Response`. */
  readonly stem: string;
}

/** The options for services. */
export interface ServiceOptions {
  readonly upstream: string;
  readonly style: NameStyle;
  readonly bases: Bases;
  /** Reports whether to stream the pages of an operation even if the document does not show them plainly. */
  readonly paginates: (operation: Operation) => boolean;
}

/** The HTTP methods for which `google.api.http` has fields. */
const VERBS = ["GET", "PUT", "POST", "DELETE", "PATCH"];

/** Groups operations by their first tag, and names services and methods. */
export function draftServices(
  planner: Planner,
  api: Api,
  operations: readonly Operation[],
  options: ServiceOptions,
): ServiceDraft[] {
  const groups = Map.groupBy(operations, (operation) => serviceName(tagOf(operation, api)));
  for (const name of groups.keys()) planner.names.reserve(name);
  const drafts = [...groups].map(([name, members]) => {
    const tag = members[0]?.tags[0] ?? "";
    return { name, tag, methods: namedMethods(planner, name, members, options) };
  });
  const uses = Map.groupBy(
    drafts.flatMap(({ methods }) => methods),
    ({ name }) => name,
  );
  return drafts.map((draft) => ({
    ...draft,
    methods: draft.methods.map((method) => ({ ...method, stem: stemOf(planner, draft, method, uses) })),
  }));
}

/** Returns the first tag of an operation; without tags, the first constant segment of its path. */
function tagOf({ tags, path }: Operation, api: Api): string {
  const segments = path
    .split("/")
    .filter((segment) => /^[\w-]+$/.test(segment) && !/^(?:v\d+|api)$/.test(segment));
  return tags[0] ?? segments[0] ?? api.title;
}

function serviceName(tag: string): string {
  const words = wordsOf(tag);
  const name = pascal(words.at(-1) === "service" ? words.slice(0, -1) : words, "Api");
  return `${name}Service`;
}

function namedMethods(
  planner: Planner,
  service: string,
  operations: readonly Operation[],
  options: ServiceOptions,
): MethodDraft[] {
  const streams = operations.flatMap((operation) => streamOf(planner, operation, options) ?? []);
  const single = operations.map((operation) => ({ operation, source: operation.place, pages: undefined }));
  // an additional method must not take the name of an operation
  const all = [...single, ...streams];
  const prefix = `${service}.`;
  const locked = all.map(({ source }) => planner.lock.nameOf(source));
  const held = locked.flatMap((name) =>
    name?.startsWith(prefix) === true ? [name.slice(prefix.length)] : [],
  );
  const scope = new Scope((name) => name.toLowerCase(), new Set(held));
  const names = new Map<Operation, string>();
  const named = all.map(({ operation, source, pages }, index) => {
    const before = locked[index];
    const known = before?.startsWith(prefix) === true ? before.slice(prefix.length) : undefined;
    const one = names.get(operation);
    const tag = operation.tags[0] ?? "";
    const wished = one === undefined ? methodName(operation, tag, planner.schemas) : `${one}Stream`;
    const name = known === undefined || scope.isTaken(known) ? scope.give(wished) : scope.take(known);
    names.set(operation, name);
    planner.lock.keepName(source, `${prefix}${name}`);
    return { name, operation, source, pages, stem: name };
  });
  const byOperation = Map.groupBy(named, ({ operation }) => operation);
  return operations.flatMap((operation) => byOperation.get(operation) ?? []);
}

/**
 * Returns the additional method for an operation's pages. Reports operations that only appear to have pages.
 */
function streamOf(
  planner: Planner,
  operation: Operation,
  { paginates }: ServiceOptions,
): Pick<MethodDraft, "operation" | "source" | "pages"> | undefined {
  const pages = pagesOf(planner.schemas, operation);
  if (pages === undefined) {
    for (const pair of likePages(planner.schemas, operation)) {
      planner.report.add("unread-pages", operation.place, pair);
    }
    return undefined;
  }
  if (pages.isPlain || paginates(operation)) return { operation, source: `${operation.place}!pages`, pages };
  const rule = JSON.stringify(pages.rule(nameOf));
  planner.report.add(
    "likely-pages",
    operation.place,
    `--paginate "${operation.verb} ${operation.path}": ${rule}`,
  );
  return undefined;
}

/**
 * Returns the name of the request and response messages: the name of the method, prefixed by the service if
 * two services have a method with this name.
 */
function stemOf(
  planner: Planner,
  { name: service }: ServiceDraft,
  { name, source: method }: MethodDraft,
  uses: ReadonlyMap<string, readonly MethodDraft[]>,
): string {
  const source = `${method}!request`;
  const locked = planner.lock.nameOf(source)?.replace(/Request$/, "");
  const isAlone = uses.get(name)?.length === 1;
  const candidates = [
    ...(locked === undefined ? [] : [locked]),
    ...(isAlone ? [name] : []),
    `${service}${name}`,
  ];
  const stem = candidates.find((each) => isFree(planner, each, source)) ?? `${service}${name}`;
  planner.names.reserve(`${stem}Request`);
  planner.names.reserve(`${stem}Response`);
  planner.lock.keepName(source, `${stem}Request`);
  return stem;
}

function isFree(planner: Planner, stem: string, source: string): boolean {
  if (planner.names.isTaken(`${stem}Request`) || planner.names.isTaken(`${stem}Response`)) return false;
  return planner.lock.nameOf(source) === `${stem}Request` || !planner.isStem(`${stem}Request`);
}

/** Plans a service with its messages. */
export function planService(
  planner: Planner,
  api: Api,
  draft: ServiceDraft,
  { upstream, style, bases }: ServiceOptions,
): Service {
  const common = commonCredentials(api, draft);
  const operations = draft.methods.map(({ operation }) => operation);
  const errors = sharedErrorBodies(planner.schemas, operations);
  const rules: Record<string, OptionValue> = {
    upstream,
    ...errors,
    json: { names: new Token(style), integers: new Token("NUMBERS") },
    ...common?.rules,
  };
  const methods = draft.methods.map((method) => planMethod(planner, api, method, { common, errors, bases }));

  return {
    name: draft.name,
    comment: api.tags.get(draft.tag) ?? "",
    options: [{ name: "(connectrest.v1.service)", value: rules, file: ANNOTATIONS }],
    methods,
  };
}

/** Returns the credentials that most methods of a service require. */
function commonCredentials(api: Api, { methods }: ServiceDraft): Credentials | undefined {
  const all = methods.map(({ operation }) => credentialsOf(api, operation));
  const groups = Map.groupBy(all, ({ identity }) => identity);
  const [most] = [...groups.values()].sort((a, b) => b.length - a.length);
  return most?.[0];
}

/** The rules that the methods of a service share. */
interface Shared {
  readonly common: Credentials | undefined;
  readonly errors: ErrorBodies | undefined;
  readonly bases: Bases;
}

function planMethod(
  planner: Planner,
  api: Api,
  draft: MethodDraft,
  { common, errors, bases }: Shared,
): Method {
  const { operation, stem, pages } = draft;
  const input = planner.rootMessage(`${stem}Request`);
  input.comment = `The request message of ${draft.name}.`;
  const output = planner.rootMessage(`${stem}Response`);
  output.comment =
    pages === undefined ? `The response message of ${draft.name}.` : `An item of ${draft.name}.`;
  const credentials = credentialsOf(api, operation);
  const request = planRequest(planner, withoutCredentials(planner, operation, credentials), input);
  const response =
    pages === undefined
      ? planResponse(planner, operation, output)
      : planItem(planner, output, pages, (name) => fieldOfParameter(planner, input, name));
  for (const cause of credentials.causes) planner.report.add(cause, operation.place, draft.name);
  const base = bases.of(operation);
  if (base === "unknown") planner.report.add("server", operation.place, draft.name);
  reportOmitted(planner, operation);
  const rules = {
    ...(typeof base === "object" ? { base: base.name } : {}),
    ...(credentials.identity === common?.identity ? {} : credentials.rules),
    ...(credentials.scopes.length === 0 ? {} : { scopes: single(credentials.scopes) }),
    ...(errors === undefined ? errorBodiesOf(planner.schemas, operation) : {}),
    ...response.rules,
    ...request.rules,
  };
  const comment = commentOf(operation);
  return {
    name: draft.name,
    input,
    output,
    serverStreaming: response.serverStreaming,
    isAdditional: pages !== undefined,
    options: methodOptions(operation, request, response.body, rules),
    comment: pages === undefined ? comment : `Streams the items of all pages.\n\n${comment}`,
  };
}

/** Returns an operation without the parameters that the credentials of the upstream set. */
function withoutCredentials(planner: Planner, operation: Operation, { apiKey }: Credentials): Operation {
  const isKey = ({ in: place, name }: Parameter) =>
    (place === "header" && name.toLowerCase() === apiKey?.header?.toLowerCase()) ||
    (place === "query" && name === apiKey?.query);
  for (const { place, name } of operation.parameters.filter(isKey)) {
    planner.report.add("credential-parameter", place, name);
  }
  return { ...operation, parameters: operation.parameters.filter((parameter) => !isKey(parameter)) };
}

function reportOmitted(planner: Planner, { callbacks, links }: Operation): void {
  for (const { place, name } of callbacks) planner.report.add("callbacks", place, name);
  for (const { place, name } of links) planner.report.add("links", place, name);
}

/** Returns the name of the field for a parameter in the query. */
function fieldOfParameter(planner: Planner, { path, fields }: Message, name: string): string {
  const number = planner.lock.numberOf(path, `query:${name}`);
  return fields.find((field) => field.number === number)?.name ?? "";
}

function single(values: readonly string[]): OptionValue {
  return values.length === 1 ? (values[0] ?? "") : values;
}

function methodOptions(
  operation: Operation,
  { path, body }: { path: string; body: string | undefined },
  responseBody: string | undefined,
  rules: Readonly<Record<string, OptionValue>>,
): Option[] {
  const { verb } = operation;
  const pattern: Record<string, OptionValue> = VERBS.includes(verb)
    ? { [verb.toLowerCase()]: path }
    : { custom: { kind: verb, path } };
  const http = {
    ...pattern,
    ...(body === undefined ? {} : { body }),
    ...(responseBody === undefined ? {} : { response_body: responseBody }),
  };
  return [
    ...(operation.deprecated ? [{ name: "deprecated", value: true }] : []),
    { name: "(google.api.http)", value: http, file: HTTP },
    ...(Object.keys(rules).length === 0
      ? []
      : [{ name: "(connectrest.v1.method)", value: rules, file: ANNOTATIONS }]),
  ];
}

function commentOf({ summary, description, verb, path }: Operation): string {
  const parts = [summary.trim(), description.trim() === summary.trim() ? "" : description.trim()];
  const text = parts.filter((part) => part !== "").join("\n\n");
  return text === "" ? `${verb} ${path}` : text;
}

/** Returns the file name of a service: `pet_store` for PetStoreService. */
export function fileStem(name: string): string {
  return snake(wordsOf(name.replace(/Service$/, "")), "api");
}
