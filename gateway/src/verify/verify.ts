import type { DescMethod } from "@bufbuild/protobuf";
import { isJsonObject, type JsonValue, reportedSteps } from "connect-rest-codec/internal";
import type { Difference, DifferenceClass, ServiceAdapter, UpstreamOptions } from "connect-rest-runtime";
import { ERRORS, ErrorInfoSchema } from "connect-rest-runtime/internal";
import { type ReadRecording, RecordingReader, readsText } from "connect-rest-runtime/recordings";
import { BoundedCounts } from "./bounded-counts.ts";
import { Coverage } from "./coverage.ts";
import type { Exchange, RecordedRequest, Skipped } from "./exchange.ts";
import type { Verification } from "./finding.ts";
import { Findings } from "./findings.ts";
import { Links } from "./links.ts";
import { locate, type Place } from "./locate.ts";
import { type Messages, messagesBelow, typeOf } from "./object-fields.ts";
import { Operations, variablesIn, type WireMethod, type WireOperation } from "./operations.ts";
import { type Root, rootsOf } from "./response-roots.ts";
import { shownPath } from "./shown-path.ts";

/** The maximum number of hosts, paths and overlaps that a report names. */
const MAX_NAMED = 100;

/** Statuses whose errors have the same meaning for every API, so that a description need not list them. */
const COMMON_ERRORS: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** The expectation for a key that no field reads. */
export const NO_SUCH_KEY = "no such key";

/** Receives the values behind the findings, which no report contains. */
export interface Observer {
  /** Called before all else of an exchange that is compared. */
  sample(operation: string, hasPlaceholders: boolean): void;
  /** An object in a response that a message reads, as a method decodes it. */
  object(message: string, method: string): void;
  /** A difference in a response, as a method decodes it. */
  difference(difference: Difference, place: Place, method: string): void;
}

/** Compares recorded exchanges with a description. */
export class Verifier {
  private readonly operations: Operations;
  private readonly messages: Messages;
  private readonly coverage: Coverage;
  private readonly reader = new RecordingReader();
  private readonly links = new Links();
  private readonly findings: Findings;
  private readonly skipped = new BoundedCounts(MAX_NAMED);
  private readonly otherHosts = new BoundedCounts(MAX_NAMED);
  private readonly unknown = new BoundedCounts(MAX_NAMED);
  private readonly overlapping = new BoundedCounts(MAX_NAMED);
  private readonly roots = new Map<WireMethod, readonly Root[]>();
  private readonly observer: Observer | undefined;
  private exchanges = 0;

  constructor(
    adapters: readonly ServiceAdapter[],
    upstreams: Readonly<Record<string, UpstreamOptions>>,
    observer?: Observer,
  ) {
    this.observer = observer;
    this.operations = new Operations(adapters, upstreams);
    const methods = this.operations.all.flatMap((operation) => operation.methods);
    this.messages = messagesBelow(
      methods.flatMap(({ adapter: { method } }) => [method.input, method.output]),
    );
    this.coverage = new Coverage(this.messages);
    this.findings = new Findings(this.messages);
  }

  /** Compares an exchange, or counts an entry without an exchange. */
  async add(exchange: Exchange | Skipped, now: number): Promise<void> {
    this.exchanges++;
    if (typeof exchange === "string") {
      this.skipped.add(exchange);
      return;
    }
    const { request } = exchange;
    const linked = request && this.links.operationOf(request.url);
    const operation = linked ?? this.operationOf(exchange);
    // the upstream, not the description, chose the parameters of a link
    const compared = linked === undefined ? request : undefined;
    if (operation !== undefined) await this.compare(operation, exchange, compared, now);
  }

  /** Returns the result for all exchanges. */
  result(): Verification {
    return {
      ...this.findings.result(),
      exchanges: this.exchanges,
      skipped: this.skipped.counts,
      otherHosts: this.otherHosts.counts,
      unknown: this.unknown.counts,
      overlapping: this.overlapping.counts,
      uncovered: this.coverage.uncovered(this.operations),
    };
  }

  private operationOf({ method, request }: Exchange): WireOperation | undefined {
    if (method !== undefined) {
      const named = this.operations.ofMethod(method);
      if (named === undefined) this.unknown.add(`the method ${shownPath(`/${method}`).slice(1)}`);
      return named;
    }
    if (request === undefined) return undefined;
    const matched = this.operations.match(request);
    const { verb, url } = request;
    if (matched.kind === "operation") return matched.operation;
    if (matched.kind === "other host") this.otherHosts.add(url.host);
    if (matched.kind === "unknown") this.unknown.add(`${verb} ${shownPath(url.pathname)}`);
    if (matched.kind === "overlap") {
      this.overlapping.add(matched.operations.map(({ name }) => name).join(", "));
    }
    return undefined;
  }

  private async compare(
    operation: WireOperation,
    { method, request, response, hasPlaceholders = false }: Exchange,
    compared: RecordedRequest | undefined,
    now: number,
  ): Promise<void> {
    this.findings.sample(operation);
    this.observer?.sample(operation.name, hasPlaceholders);
    this.coverage.operation(operation);
    const named = operation.methods.filter(({ path }) => path === method);
    const methods = named.length > 0 ? named : methodsOf(operation, compared);
    if (compared !== undefined) this.compareRequest(operation, methods, compared);
    for (const each of methods) {
      const read = await this.reader.read(each.adapter, response, operation.verb, now);
      this.report(operation, each, read, response.status);
      if (request !== undefined) this.links.add(operation, each.adapter, response, read, request.url);
    }
  }

  private report(operation: WireOperation, method: WireMethod, read: ReadRecording, status: number): void {
    const { error, payload, differences } = read;
    if (error !== undefined) {
      this.reportError(operation, method, read, status);
      return;
    }
    const roots = this.roots.get(method) ?? rootsOf(method.adapter);
    this.roots.set(method, roots);
    // a call does not report a key that its message keeps among unknown keys
    this.coverage.payload(roots, payload, {
      object: (message) => this.observer?.object(message, method.path),
      collected: (place) => {
        const as = { path: place.path, expected: NO_SUCH_KEY, class: "additional" } as const;
        this.addDifference(operation, method, { ...as, got: typeOf(place.value) }, place);
      },
    });
    for (const difference of differences) {
      this.addDifference(operation, method, difference, this.placeOf(roots, read, difference));
    }
  }

  private addDifference(
    operation: WireOperation,
    method: WireMethod,
    difference: Difference,
    place: Place,
  ): void {
    this.findings.difference(operation, method, difference, place);
    this.observer?.difference(difference, place, method.path);
  }

  /** Returns the place of a difference. Paths around the payload start at the body. */
  private placeOf(roots: readonly Root[], { payload, body }: ReadRecording, { path }: Difference): Place {
    const [first] = reportedSteps(path);
    const key = String(first?.key);
    if (!hasKey(payload, key) && hasKey(body, key)) return around(path, body);
    return locate(roots, payload, path, this.messages) ?? around(path, payload);
  }

  private reportError(
    operation: WireOperation,
    { adapter, path }: WireMethod,
    { error }: ReadRecording,
    status: number,
  ): void {
    const [info] = error?.findDetails(ErrorInfoSchema) ?? [];
    const reason = info?.reason ?? "UNKNOWN";
    const { errors } = adapter.rules;
    this.coverage.reason(path, reason);
    if (errors.some((rule) => rule.reason === reason)) return;
    const isOfUpstream = !Object.hasOwn(ERRORS, reason);
    if (isOfUpstream && (COMMON_ERRORS.has(status) || status >= 500)) return;
    if (reason === "UPSTREAM_CREDENTIALS" || (isOfUpstream && this.isDescribed(adapter, status))) return;
    const as: DifferenceClass = isOfUpstream ? "additional" : "lost";
    const expected = isOfUpstream ? "an error that a rule describes" : "a response that can be read";
    this.findings.add(operation, {
      in: "response",
      class: as,
      path: isOfUpstream ? `(status ${status})` : "(root)",
      expected,
      got: reason,
      ...ofMethod(adapter.method as DescMethod),
    });
  }

  /** Reports whether a rule without a reason describes a status. */
  private isDescribed({ rules }: WireMethod["adapter"], status: number): boolean {
    return rules.errors.some((rule) => rule.status === status && rule.reason === undefined);
  }

  private compareRequest(
    operation: WireOperation,
    methods: readonly WireMethod[],
    request: RecordedRequest,
  ): void {
    const unknown = (path: string) => ({
      in: "request" as const,
      class: "additional" as const,
      path,
      expected: "no such name",
      ...ofMethod(methods[0]?.adapter.method as DescMethod),
    });
    const parameters = [
      ...request.query.map((each) => ({ ...each, path: `query ${each.name}` })),
      ...request.form.map((each) => ({ ...each, path: `form ${each.name}` })),
    ];
    for (const { name, value, path } of parameters) {
      if (!methods.some(({ names }) => names.knowsParameter(name))) {
        this.findings.add(operation, { ...unknown(path), got: "string" });
      } else if (value !== undefined) {
        this.compareValue(operation, methods, name, value, path);
      }
    }
    for (const [key, value] of request.json ?? []) {
      if (methods.some(({ names }) => names.knowsKey(key))) continue;
      this.findings.add(operation, { ...unknown(`body ${key}`), got: typeOf(value as never) });
    }
    for (const [name, value] of variablesIn(operation, request.url) ?? []) {
      this.compareValue(operation, methods, name, decodeURIComponentSafely(value), `path ${name}`);
    }
  }

  private compareValue(
    operation: WireOperation,
    methods: readonly WireMethod[],
    name: string,
    value: string,
    path: string,
  ): void {
    const fields = methods.map(({ names }) => names.fieldOf(name)).filter((field) => field !== undefined);
    const [field] = fields;
    if (field === undefined || fields.some((each) => readsText(each, value))) return;
    this.findings.add(operation, {
      in: "request",
      class: "lost",
      path,
      expected: field.enum?.typeName ?? field.toString().split(" ")[0] ?? "",
      got: "string",
      length: value.length,
      file: `${field.parent.file.name}.proto`,
      declaration: `${field.parent.typeName}.${field.name}`,
    });
  }
}

/** Returns the methods that know the most names of a request. */
function methodsOf({ methods }: WireOperation, request: RecordedRequest | undefined): readonly WireMethod[] {
  if (request === undefined || methods.length === 1) return methods;
  const unknown = methods.map(({ names }) => {
    const parameters = [...request.query, ...request.form].filter(({ name }) => !names.knowsParameter(name));
    const keys = [...(request.json?.keys() ?? [])].filter((key) => !names.knowsKey(key));
    return parameters.length + keys.length;
  });
  const least = Math.min(...unknown);
  return methods.filter((_, index) => unknown[index] === least);
}

/** Returns the place of a value that no table reads. */
function around(path: string, root: JsonValue | undefined): Place {
  const steps = reportedSteps(path);
  const value = steps.reduce<JsonValue | undefined>((inner, { key }) => memberOf(inner, key), root);
  return { path: path.replaceAll(/\[\d+\]/g, "[]"), value };
}

function memberOf(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (typeof key === "number") return Array.isArray(value) ? value[key] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function hasKey(value: JsonValue | undefined, key: string): boolean {
  return isJsonObject(value) && Object.hasOwn(value, key);
}

function ofMethod(method: DescMethod) {
  return {
    file: `${method.parent.file.name}.proto`,
    declaration: `${method.parent.typeName}.${method.name}`,
  };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
