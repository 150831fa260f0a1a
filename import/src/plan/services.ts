import { Scope } from "../names/scope.ts";
import { pascal, snake, wordsOf } from "../names/words.ts";
import type { Api, Operation } from "../normalize/api.ts";
import { type Method, type Option, type OptionValue, type Service, Token } from "../proto/model.ts";
import { ANNOTATIONS, HTTP } from "./annotations.ts";
import { type Credentials, credentialsOf } from "./credentials.ts";
import { methodName } from "./method-names.ts";
import type { NameStyle, Planner } from "./planner.ts";
import { planRequest } from "./requests.ts";
import { planResponse } from "./responses.ts";

/** A service with its operations, before their methods are planned. */
export interface ServiceDraft {
  readonly name: string;
  readonly tag: string;
  readonly methods: readonly MethodDraft[];
}

export interface MethodDraft {
  readonly name: string;
  readonly operation: Operation;
  /** The name of the request and response messages, without `Request` and `Response`. */
  readonly stem: string;
}

/** The HTTP methods for which `google.api.http` has fields. */
const VERBS = ["GET", "PUT", "POST", "DELETE", "PATCH"];

/** Groups operations by their first tag, and names services and methods. */
export function draftServices(planner: Planner, api: Api, operations: readonly Operation[]): ServiceDraft[] {
  const groups = Map.groupBy(operations, (operation) => serviceName(tagOf(operation, api)));
  const drafts = [...groups].map(([name, members]) => {
    const tag = members[0]?.tags[0] ?? "";
    return { name, tag, methods: namedMethods(planner, name, members) };
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

function namedMethods(planner: Planner, service: string, operations: readonly Operation[]): MethodDraft[] {
  const prefix = `${service}.`;
  const locked = operations.map(({ place }) => planner.lock.nameOf(place));
  const held = locked.flatMap((name) =>
    name?.startsWith(prefix) === true ? [name.slice(prefix.length)] : [],
  );
  const scope = new Scope((name) => name.toLowerCase(), new Set(held));
  return operations.map((operation, index) => {
    const before = locked[index];
    const known = before?.startsWith(prefix) === true ? before.slice(prefix.length) : undefined;
    const name =
      known === undefined || scope.isTaken(known)
        ? scope.give(methodName(operation, operation.tags[0] ?? ""))
        : scope.take(known);
    planner.lock.keepName(operation.place, `${prefix}${name}`);
    return { name, operation, stem: name };
  });
}

/**
 * Returns the name of the request and response messages: the name of the method, prefixed by the service if
 * two services have a method with this name.
 */
function stemOf(
  planner: Planner,
  { name: service }: ServiceDraft,
  { name, operation }: MethodDraft,
  uses: ReadonlyMap<string, readonly MethodDraft[]>,
): string {
  const source = `${operation.place}!request`;
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
  { upstream, style }: { upstream: string; style: NameStyle },
): Service {
  const common = commonCredentials(api, draft);
  const rules: Record<string, OptionValue> = {
    upstream,
    json: { names: new Token(style), integers: new Token("NUMBERS") },
    ...common?.rules,
  };
  const methods = draft.methods.map((method) => planMethod(planner, api, method, common));

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

function planMethod(planner: Planner, api: Api, draft: MethodDraft, common: Credentials | undefined): Method {
  const { operation, stem } = draft;
  const input = planner.rootMessage(`${stem}Request`);
  input.comment = `The request message of ${draft.name}.`;
  const output = planner.rootMessage(`${stem}Response`);
  output.comment = `The response message of ${draft.name}.`;
  const request = planRequest(planner, operation, input);
  const response = planResponse(planner, operation, output);
  const credentials = credentialsOf(api, operation);
  for (const cause of credentials.causes) planner.report.add(cause, operation.place, draft.name);
  const rules = {
    ...(credentials.identity === common?.identity ? {} : credentials.rules),
    ...(credentials.scopes.length === 0 ? {} : { scopes: single(credentials.scopes) }),
    ...response.rules,
    ...request.rules,
  };
  return {
    name: draft.name,
    input,
    output,
    serverStreaming: response.serverStreaming,
    options: methodOptions(operation, request, response.body, rules),
    comment: commentOf(operation),
  };
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
