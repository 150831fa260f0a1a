/** Checks the rules that only methods have. */
import type { DescMethod } from "@bufbuild/protobuf";
import { type Duration, MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import { millisOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import {
  RequestBody_Encoding as Encoding,
  MethodRulesSchema,
  ParameterSchema,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import type { MethodAnnotation } from "../model/annotations.ts";
import type { Frozen } from "../model/freeze.ts";
import type { MethodModel } from "../model/model.ts";

const { field: RULE } = MethodRulesSchema;

/** The maximum delay of a Node.js timer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const MULTIPART: ReadonlySet<Encoding> = new Set([Encoding.MULTIPART, Encoding.MULTIPART_WHEN_PARTS]);

/** Reports rules of a method that contradict each other or cannot be applied. */
export function checkMethod(
  { desc, rules, annotation: own, serviceAnnotation, bindings }: MethodModel,
  problems: Problems,
): void {
  const subject = nameOf(desc);
  const add = (place: OptionPath, code: string, text: string) =>
    problems.add(desc, [RULES, ...place], code, text);
  if (rules.credentials.includes("api_key") && rules.apiKey === undefined) {
    const isOfService = own.credentials.length === 0 && serviceAnnotation.credentials.length > 0;
    const holder = isOfService ? desc.parent : desc;
    const text = `${nameOf(holder)} accepts an API key, but no rule says where to send it; add \`api_key { query: "…" }\` or \`api_key { header: "…" }\``;
    problems.add(holder, [RULES, RULE.credentials.number], "api-key-place", text);
  }
  own.scopes.forEach((scope, index) => {
    if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) return;
    const text = `\`${scope}\` is not a valid scope of ${subject} (RFC 6749 section 3.3); expected one word; list each scope separately`;
    add([RULE.scopes.number, index], "scope-syntax", text);
  });
  if (own.scopes.length > 0 && !rules.credentials.some((kind) => kind === "oauth1" || kind === "oauth2")) {
    const text = `${subject} has scopes, but accepts no kind of credentials that supports scopes; add OAUTH1 or OAUTH2 to its credentials`;
    add([RULE.scopes.number], "scopes-credentials", text);
  }
  if (own.timeout !== undefined && !isTimeout(own.timeout)) {
    const text = `the timeout of ${subject}: expected more than 0 and at most ${LONGEST_TIMEOUT_MS} ms, got ${millisOf(own.timeout)} ms`;
    add([RULE.timeout.number], "timeout-range", text);
  }
  const [{ verb = "" } = {}] = bindings;
  if (own.redirects === true && verb !== "GET" && verb !== "HEAD") {
    const text = `${subject} cannot follow redirects: they are followed for GET and HEAD, and it is a ${verb}`;
    add([RULE.redirects.number], "redirects-verb", text);
  }
  if (own.jsonPart !== "" && !MULTIPART.has(own.requestEncoding)) {
    add(
      [RULE.jsonPart.number],
      "json-part",
      `json_part of ${subject} needs request_encoding: MULTIPART or MULTIPART_WHEN_PARTS`,
    );
  }
  own.success.forEach((status, index) => {
    if (status >= 300 && status <= 599 && own.success.indexOf(status) === index) return;
    const text =
      status >= 300 && status <= 599
        ? `success of ${subject} lists ${status} twice; remove one`
        : status >= 200 && status <= 299
          ? `success of ${subject}: ${status} is a success anyway; remove it`
          : `success of ${subject}: expected a status from 300 to 599, got ${status}`;
    add([RULE.success.number, index], "success-status", text);
  });
  const conflict = idempotencyConflict(desc, own);
  if (conflict !== undefined) {
    add([RULE.idempotent.number], "idempotent-conflict", `idempotent of ${subject} ${conflict}`);
  }
  own.parameters.forEach(({ name, value, json, inQuery }, index) => {
    if (name === "") {
      add(
        [RULE.parameters.number, index],
        "parameter-name",
        `a constant parameter of ${subject} has no name`,
      );
    }
    if (own.parameters.findIndex((other) => other.name === name && other.inQuery === inQuery) < index) {
      const text = `${subject} has two constant parameters \`${name}\`; remove one`;
      add([RULE.parameters.number, index], "parameter-name", text);
    }
    const fault = json === "" ? undefined : value !== "" ? "has both a value and json" : jsonFault(json);
    if (fault !== undefined) {
      add(
        [RULE.parameters.number, index, ParameterSchema.field.json.number],
        "parameter-json",
        `the constant parameter \`${name}\` of ${subject} ${fault}`,
      );
    }
  });
}

/** Returns the rule that contradicts `idempotent`; undefined if no rule does. */
function idempotencyConflict(
  { idempotency }: DescMethod,
  { idempotent, idempotencyKey }: MethodAnnotation,
): string | undefined {
  if (idempotent === undefined) return undefined;
  if (idempotencyKey !== "") {
    const reason = idempotent ? "is true, so no key is sent" : "is false, which a key is meant to change";
    return `${reason}; remove idempotent or idempotency_key`;
  }
  if (idempotent || idempotency === Idempotency.IDEMPOTENCY_UNKNOWN) return undefined;
  return `is false, but its idempotency_level is ${Idempotency[idempotency]}; remove one of them`;
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return `is not JSON: expected e.g. \`true\` or \`"text"\`, got \`${text}\``;
  }
}

function isTimeout(duration: Frozen<Duration>): boolean {
  const value = millisOf(duration);
  return value > 0 && value <= LONGEST_TIMEOUT_MS;
}
