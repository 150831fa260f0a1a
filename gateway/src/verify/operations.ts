import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { ServiceAdapter, UpstreamOptions } from "connect-rest-runtime";
import type { AnyMethodAdapter } from "connect-rest-runtime/internal";
import {
  bindingsOf,
  type RequestNames,
  readsText,
  requestNamesOf,
  type WireBinding,
} from "connect-rest-runtime/recordings";
import { methodPath } from "../call/method-path.ts";
import type { RecordedRequest } from "./exchange.ts";
import { isNarrower, parseTemplate, type Template } from "./path-template.ts";

/** A method, and the names that its requests may have. */
export interface WireMethod {
  readonly adapter: AnyMethodAdapter;
  readonly path: string;
  readonly names: RequestNames;
}

/** A verb, a path template and constant parameters at an upstream, with the methods that send them. */
export interface WireOperation {
  /** E.g. `GET /v2/blog/{blog_identifier}/info`. */
  readonly name: string;
  readonly verb: string;
  readonly methods: readonly WireMethod[];
  /** The base addresses without a trailing slash: `https://api.example.com/v2`. */
  readonly bases: ReadonlySet<string>;
  readonly template: Template;
  readonly constants: WireBinding["constants"];
}

/** The operation of a request: one, several that fit equally, or none. */
export type Matched =
  | { readonly kind: "operation"; readonly operation: WireOperation }
  | { readonly kind: "overlap"; readonly operations: readonly WireOperation[] }
  | { readonly kind: "unknown" }
  | { readonly kind: "other host" };

/** The wire operations of adapters. */
export class Operations {
  readonly all: readonly WireOperation[];
  private readonly byMethod: ReadonlyMap<string, WireOperation>;
  private readonly origins: ReadonlySet<string>;

  constructor(adapters: readonly ServiceAdapter[], upstreams: Readonly<Record<string, UpstreamOptions>>) {
    const byKey = new Map<string, WireOperation & { readonly methods: WireMethod[] }>();
    const byMethod = new Map<string, WireOperation>();
    for (const adapter of adapters.flatMap(({ methods }) => Object.values(methods))) {
      const method = {
        adapter,
        path: methodPath(adapter.method as DescMethod),
        names: requestNamesOf(adapter),
      };
      const bases = basesOf(upstreams[adapter.rules.upstream], adapter.rules.base);
      for (const binding of bindingsOf(adapter.method)) {
        const operation = operationOf(binding, bases);
        const { template, verb, constants } = operation;
        const types = template.names.map((name) => typeOf(method.names.fieldOf(name)));
        const key = JSON.stringify([verb, template.shape, types, constants, [...bases]]);
        const shared = byKey.get(key) ?? operation;
        byKey.set(key, shared);
        if (!shared.methods.some(({ path }) => path === method.path)) shared.methods.push(method);
        if (!byMethod.has(method.path)) byMethod.set(method.path, shared);
      }
    }
    this.all = [...byKey.values()];
    this.byMethod = byMethod;
    this.origins = new Set(this.all.flatMap(({ bases }) => [...bases].map((base) => new URL(base).origin)));
  }

  /** Returns the first operation of a method, by the path of the method. */
  ofMethod(path: string): WireOperation | undefined {
    return this.byMethod.get(path);
  }

  /** Finds the operation of a request. A template with text wins over a template with a variable there. */
  match(request: RecordedRequest): Matched {
    const fitting = this.all.filter((operation) => fits(operation, request));
    const narrowest = fitting.filter((each) => !fitting.some((other) => isPreferred(other, each)));
    const [operation] = narrowest;
    if (operation === undefined) {
      return { kind: this.origins.has(request.url.origin) ? "unknown" : "other host" };
    }
    return narrowest.length > 1
      ? { kind: "overlap", operations: narrowest }
      : { kind: "operation", operation };
  }
}

/** Returns the type that the value of a path variable must have; the values of other types look different. */
function typeOf(field: DescField | undefined): string | number | undefined {
  return field?.enum?.typeName ?? field?.scalar;
}

function operationOf(
  { verb, template, constants }: WireBinding,
  bases: ReadonlySet<string>,
): WireOperation & { readonly methods: WireMethod[] } {
  const fixed = constants.map(({ name, value }) => `${name}=${value}`).join("&");
  const name = `${verb} ${template}${fixed === "" ? "" : ` (${fixed})`}`;
  return { name, verb, methods: [], bases, template: parseTemplate(template), constants };
}

function basesOf(options: UpstreamOptions | undefined, base: string): ReadonlySet<string> {
  const named = options?.bases?.[base] ?? options?.baseUrl ?? Object.values(options?.bases ?? {})[0];
  const url = typeof named === "string" ? URL.parse(named) : null;
  return new Set(url === null ? [] : [url.origin + url.pathname.replace(/\/+$/, "")]);
}

function fits(operation: WireOperation, request: RecordedRequest): boolean {
  if (operation.verb !== request.verb) return false;
  const found = variablesIn(operation, request.url);
  if (found === undefined || !hasConstants(operation, request)) return false;
  return operation.methods.some(({ names }) => {
    return [...found].every(([name, value]) => {
      const field = names.fieldOf(name);
      return field === undefined || readsText(field, decoded(value));
    });
  });
}

/** Returns the values of the path's variables, percent-encoded. Undefined for another path. */
export function variablesIn(
  { bases, template }: WireOperation,
  { origin, pathname }: URL,
): ReadonlyMap<string, string> | undefined {
  for (const base of bases) {
    const whole = origin + pathname;
    const found = whole.startsWith(base) ? template.match(whole.slice(base.length)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reports whether a request has the constants of an operation. A body that is not recorded may have them. */
function hasConstants({ constants }: WireOperation, { query, form, json }: RecordedRequest): boolean {
  const sent = [...query, ...form];
  return constants.every(({ name, value }) => {
    if (json?.has(name)) return JSON.stringify(json.get(name)) === value || json.get(name) === value;
    return sent.some((each) => each.name === name && each.value === value);
  });
}

function isPreferred(one: WireOperation, other: WireOperation): boolean {
  if (isNarrower(one.template, other.template)) return true;
  const isSame = one.template.shape === other.template.shape;
  return isSame && one.constants.length > other.constants.length;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
