import { create, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { qualifiedName } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import { millisOf } from "../descriptors/well-known.ts";
import type {
  ErrorBody,
  ErrorMetadata,
  ErrorRule as ErrorRuleOption,
  RetryAfter as RetryAfterOption,
} from "../gen/connectrest/v1/error_rules_pb.ts";
import { RetryAfter_Format } from "../gen/connectrest/v1/error_rules_pb.ts";
import {
  type ApiKey,
  Credential_Kind,
  type Envelope,
  Http_Nesting,
  Http_Slash,
  Json_Integers,
  Json_Names,
  MethodRulesSchema,
  type RateLimit as RateLimitOption,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import { type Records, Records_Format } from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { MethodAnnotation } from "../model/annotations.ts";
import { DEFAULT_RULES } from "../model/default-rules.ts";
import { lastStepOf } from "../model/dotted-path.ts";
import type { Frozen } from "../model/freeze.ts";
import type { ErrorRule, JsonStyle, RateLimit, RetryAfterRule, Rules, SharedRules } from "../model/rules.ts";
import { parseCondition, parseRequestCondition } from "./condition.ts";
import { parseOperation } from "./operation.ts";
import { emptySpelling, methodRules, rootless, serviceRules } from "./options.ts";
import { parseResponseEncoding } from "./response.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

const CREDENTIALS: Readonly<Record<Credential_Kind, string>> = {
  [Credential_Kind.KIND_UNSPECIFIED]: "none",
  [Credential_Kind.NONE]: "none",
  [Credential_Kind.API_KEY]: "api_key",
  [Credential_Kind.OAUTH1_CLIENT]: "oauth1_client",
  [Credential_Kind.OAUTH1]: "oauth1",
  [Credential_Kind.OAUTH2]: "oauth2",
  [Credential_Kind.BASIC]: "basic",
};

const RETRY_FORMATS: Readonly<Record<RetryAfter_Format, string>> = {
  [RetryAfter_Format.FORMAT_UNSPECIFIED]: "seconds",
  [RetryAfter_Format.SECONDS]: "seconds",
  [RetryAfter_Format.EPOCH]: "epoch",
  [RetryAfter_Format.HTTP_DATE]: "http_date",
  [RetryAfter_Format.MILLIS]: "millis",
};

/** Parses the rules that a service sets for its methods. */
export function parseServiceRules(desc: DescService): SharedRules {
  return sharedRules(desc, create(MethodRulesSchema));
}

/** Parses the rules of a method, including the rules that it inherits from its service. */
export function parseRules(desc: DescMethod, verb: string): Rules {
  const own = methodRules(desc);
  const shared = sharedRules(desc.parent, own);
  return {
    ...shared,
    headers: withAccept(shared.headers, own.records),
    success: own.success,
    responseEncoding: parseResponseEncoding(desc),
    ...(own.timeout === undefined ? {} : { timeoutMs: millisOf(own.timeout) }),
    scopes: own.scopes,
    ...(own.operation === undefined ? {} : { operation: parseOperation(own.operation) }),
    ...parseIdempotency(desc, verb),
    ...parseRateLimits(desc),
    ...(own.credentialFields.length === 0 ? {} : { credentialFields: own.credentialFields }),
    parameters: own.parameters.map(({ name, value, json, inQuery }) => ({
      name,
      value: json === "" ? value : json,
      json: json === "" ? JSON.stringify(value) : json,
      inQuery,
    })),
  };
}

function sharedRules(desc: DescService, own: MethodAnnotation): SharedRules {
  const service = serviceRules(desc);
  const envelope = own.envelope ?? service.envelope;
  const apiKey = parseApiKey(own.apiKey ?? service.apiKey);
  const errorBodies = own.errorBodies.length > 0 ? own.errorBodies : service.errorBodies;
  const json = own.json ?? service.json;
  const http = own.http ?? service.http;
  return {
    upstream: own.upstream || service.upstream || desc.file.proto.package,
    base: own.base || service.base,
    credentials: firstFilled(own.credentials, service.credentials).map((kind) => CREDENTIALS[kind] ?? "none"),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(envelope === undefined || saysNothing(envelope) ? {} : { envelope: parseEnvelope(envelope) }),
    errorShapes: errorBodies.length > 0 ? errorBodies.map(parseErrorShape) : DEFAULT_RULES.errorShapes,
    errors: [...own.errors, ...service.errors].map(parseErrorRule),
    retryAfter: firstFilled(own.retryAfter, service.retryAfter).map(parseRetryAfter),
    ...parseErrorMetadata(firstFilled(own.errorMetadata, service.errorMetadata)),
    rawErrorBody: own.rawErrorBody ?? service.rawErrorBody ?? false,
    redirects: own.redirects ?? service.redirects ?? false,
    headers: mergeHeaders(own.headers, service.headers),
    json: {
      ...parseJsonStyle(json?.names, json?.integers),
      required: http?.omitRequiredZeros ? "omitted" : "sent",
    },
    rejectSlash: http?.slash === Http_Slash.REFUSE,
    brackets: http?.nesting === Http_Nesting.BRACKETS,
    urlSafeQuery: http?.urlSafeBase64InQuery ?? false,
    urlSafePath: http?.urlSafeBase64InPath ?? false,
    controlsInPath: http?.controlCharactersInPath ?? false,
  };
}

function firstFilled<T>(own: readonly T[], service: readonly T[]): readonly T[] {
  return own.length > 0 ? own : service;
}

function parseRateLimits(desc: DescMethod): Pick<Rules, "rateLimits"> {
  const own = methodRules(desc).rateLimits.map((limit) => parseRateLimit(limit, qualifiedName(desc)));
  const shared = serviceRules(desc.parent).rateLimits.map((limit) =>
    parseRateLimit(limit, desc.parent.typeName),
  );
  return own.length + shared.length === 0 ? {} : { rateLimits: [...own, ...shared] };
}

function parseRateLimit(limit: Frozen<RateLimitOption>, owner: string): RateLimit {
  return {
    requests: limit.requests,
    windowMs: limit.window === undefined ? DAY_MS : millisOf(limit.window),
    ...(limit.calendarDay === "" ? {} : { calendarDay: limit.calendarDay }),
    bucket: limit.bucket || owner,
    perCredentials: limit.perCredentials,
    ...(limit.when === undefined ? {} : { when: parseRequestCondition(limit.when) }),
  };
}

/** Parses the reason why a method may be retried: a rule, its HTTP method, or a key in its requests. */
function parseIdempotency(desc: DescMethod, verb: string): Pick<Rules, "idempotent" | "idempotencyKey"> {
  const { idempotent = isIdempotent(desc, verb) } = methodRules(desc);
  if (idempotent || methodRules(desc).idempotent === false) return { idempotent };
  const header = methodRules(desc).idempotencyKey || serviceRules(desc.parent).idempotencyKey;
  return header === "" ? { idempotent: false } : { idempotent: true, idempotencyKey: header.toLowerCase() };
}

function isIdempotent(desc: DescMethod, verb: string): boolean {
  if (desc.idempotency !== Idempotency.IDEMPOTENCY_UNKNOWN) return true;
  return verb === "GET" || verb === "HEAD" || verb === "PUT" || verb === "DELETE";
}

function parseJsonStyle(
  names: Json_Names | undefined,
  integers: Json_Integers | undefined,
): Pick<JsonStyle, "names" | "integers"> {
  return {
    names: names === Json_Names.AS_DECLARED ? "asDeclared" : "lowerCamel",
    integers: integers === Json_Integers.NUMBERS ? "numbers" : "strings",
  };
}

function parseApiKey(option: Frozen<ApiKey> | undefined): Rules["apiKey"] {
  if (option?.in.case === undefined) return undefined;
  return { [option.in.case]: option.in.value, ...(option.prefix === "" ? {} : { prefix: option.prefix }) };
}

function saysNothing({ payload, empty }: Frozen<Envelope>): boolean {
  return payload.length === 0 && empty.length === 0;
}

function parseEnvelope(option: Frozen<Envelope>): NonNullable<Rules["envelope"]> {
  return {
    payload: option.payload.map(rootless),
    ...(option.status === "" ? {} : { status: option.status }),
    ...(option.message === "" ? {} : { message: option.message }),
    ...(option.errors === "" ? {} : { errors: option.errors }),
    ...(option.empty.length === 0 ? {} : { empty: option.empty.map(emptySpelling) }),
    ...(option.known.length === 0 ? {} : { known: option.known }),
  };
}

function parseErrorShape({ shape }: Frozen<ErrorBody>): Rules["errorShapes"][number] {
  switch (shape.case) {
    case "items":
      return {
        kind: "items",
        path: rootless(shape.value.path),
        title: shape.value.title || "title",
        code: shape.value.code || "code",
        detail: shape.value.detail || "detail",
        ...(shape.value.field === "" ? {} : { field: shape.value.field }),
      };
    case "fieldMap":
      return { kind: "field_map", path: rootless(shape.value) };
    case "titleMap":
      return { kind: "title_map", path: rootless(shape.value) };
    case "text":
      return { kind: "text", path: rootless(shape.value) };
    case "oauth":
      return { kind: "oauth" };
    default:
      return { kind: "rpc_status" };
  }
}

function parseErrorRule(option: Frozen<ErrorRuleOption>): ErrorRule {
  return {
    ...(option.status !== 0 && { status: option.status }),
    ...(option.subcode === undefined ? {} : { subcode: Number(option.subcode) }),
    ...(option.subcodeText === "" ? {} : { subcode: option.subcodeText }),
    ...(option.header === undefined
      ? {}
      : {
          header: {
            name: option.header.name.toLowerCase(),
            ...(option.header.value === "" ? {} : { value: option.header.value }),
          },
        }),
    ...(option.body === undefined ? {} : { body: parseCondition(option.body) }),
    ...(option.code === undefined ? {} : { code: option.code }),
    ...(option.reason === "" ? {} : { reason: option.reason }),
  };
}

function parseErrorMetadata(options: readonly Frozen<ErrorMetadata>[]): Pick<SharedRules, "errorMetadata"> {
  if (options.length === 0) return {};
  return { errorMetadata: options.map(({ path, key }) => ({ key: key || lastStepOf(path), path })) };
}

function parseRetryAfter(option: Frozen<RetryAfterOption>): RetryAfterRule {
  return {
    ...(option.path === "" ? { header: option.header.toLowerCase() } : { path: option.path }),
    format: RETRY_FORMATS[option.format] ?? "seconds",
    ...(option.when === undefined
      ? {}
      : { when: { name: option.when.name.toLowerCase(), value: option.when.value } }),
  };
}

/** Adds the Accept header of a stream of records, unless a rule sets one. */
function withAccept(headers: Rules["headers"], records: Frozen<Records> | undefined): Rules["headers"] {
  if (records === undefined || headers.some(({ name }) => name === "accept")) return headers;
  // Accept is unnecessary for a JSON array: it is the default for requests
  if (records.format === Records_Format.ARRAY) return headers;
  const isEvents = records.format === Records_Format.EVENT_STREAM;
  const value = isEvents ? "text/event-stream" : "application/x-ndjson, application/jsonl, application/json";
  return [...headers, { name: "accept", value }];
}

function mergeHeaders(
  own: ReadonlyArray<{ name: string; value: string }>,
  service: ReadonlyArray<{ name: string; value: string }>,
): Rules["headers"] {
  const merged = new Map<string, string>();
  for (const { name, value } of [...service, ...own]) merged.set(name.toLowerCase(), value);
  return [...merged].map(([name, value]) => ({ name, value }));
}
