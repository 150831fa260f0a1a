/** Checks the rules that both a service and a method may have, at the place where they are written. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import {
  type ErrorBody,
  ErrorBodySchema,
  ErrorItemsSchema,
  type ErrorMetadata,
  ErrorMetadataSchema,
  type ErrorRule,
  ErrorRuleSchema,
  HeaderConditionSchema,
  type RetryAfter,
  RetryAfterSchema,
} from "../gen/connectrest/v1/error_rules_pb.ts";
import { Empty_Spelling, Empty_SpellingSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import {
  ApiKeySchema,
  Credential_Kind,
  Credential_KindSchema,
  type Envelope,
  EnvelopeSchema,
  HeaderSchema,
  MethodRulesSchema,
  type RateLimit,
  RateLimitSchema,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import { Code } from "../gen/google/rpc/code_pb.ts";
import type { MethodAnnotation, ServiceAnnotation } from "../model/annotations.ts";
import { lastStepOf } from "../model/dotted-path.ts";
import type { Frozen } from "../model/freeze.ts";
import { checkCondition } from "./conditions.ts";
import { checkRequestCondition } from "./request-conditions.ts";
import { checkEnvelopeReaders } from "./rule-readers.ts";
import { headerFault, pathFault, requestHeaderFault, valueName } from "./syntax.ts";

/** The rules that ServiceRules and MethodRules have under the same field numbers. */
const { field: RULE } = MethodRulesSchema;
const { field: ERROR } = ErrorRuleSchema;
const { field: ERROR_BODY } = ErrorBodySchema;
const { field: RETRY_AFTER } = RetryAfterSchema;
const { field: METADATA } = ErrorMetadataSchema;
const { field: CONDITION } = HeaderConditionSchema;
const { field: ENVELOPE } = EnvelopeSchema;
const { field: RATE_LIMIT } = RateLimitSchema;

/** The error metadata keys that the runtime sets itself. */
const RUNTIME_KEYS: ReadonlySet<string> = new Set([
  "http_status",
  "subcode",
  "location",
  "attempts",
  "details_omitted",
]);

/** Reports a fault at a place in the rules. */
type Add = (place: OptionPath, code: string, text: string) => void;

/** Reports faults in the rules of a service or a method. Inherited rules are checked with the service. */
export function checkSharedRules(
  desc: DescService | DescMethod,
  rules: ServiceAnnotation | MethodAnnotation,
  problems: Problems,
): void {
  const add: Add = (place, code, text) => problems.add(desc, [RULES, ...place], code, text);
  const subject = nameOf(desc);
  if (rules.envelope !== undefined) checkEnvelope(rules.envelope, add);
  checkEnvelopeReaders(desc, rules, problems);
  rules.errors.forEach((rule, index) => {
    checkError(rule, subject, within(add, RULE.errors.number, index));
  });
  rules.errorBodies.forEach((body, index) => {
    checkErrorBody(body, subject, within(add, RULE.errorBodies.number, index));
  });
  rules.retryAfter.forEach((rule, index) => {
    checkRetryAfter(rule, subject, within(add, RULE.retryAfter.number, index));
  });
  checkErrorMetadata(rules.errorMetadata, subject, within(add, RULE.errorMetadata.number));
  rules.headers.forEach((header, index) => {
    checkHeader(header, within(add, RULE.headers.number, index));
  });
  rules.rateLimits.forEach((limit, index) => {
    checkRateLimit(limit, desc, within(add, RULE.rateLimits.number, index));
  });
  if (rules.idempotencyKey !== "") {
    const fault = requestHeaderFault(rules.idempotencyKey);
    if (fault !== undefined) {
      add([RULE.idempotencyKey.number], "header-name", `idempotency_key of ${subject}: ${fault}`);
    }
  }
  checkApiKey(rules.apiKey, subject, within(add, RULE.apiKey.number));
  checkCredentials(rules.credentials, subject, within(add, RULE.credentials.number));
}

function within(add: Add, ...place: readonly number[]): Add {
  return (below, code, text) => add([...place, ...below], code, text);
}

function checkEnvelope({ payload, status, message, errors, known, empty }: Frozen<Envelope>, add: Add): void {
  const texts = [
    { path: status, place: [ENVELOPE.status.number] },
    { path: message, place: [ENVELOPE.message.number] },
    { path: errors, place: [ENVELOPE.errors.number] },
  ];
  const paths = [
    ...payload.map((path, index) => ({
      path,
      place: [ENVELOPE.payload.number, index],
      root: "root" as const,
    })),
    ...texts.filter(({ path }) => path !== "").map((text) => ({ ...text, root: "no root" as const })),
    ...known.map((path, index) => ({
      path,
      place: [ENVELOPE.known.number, index],
      root: "no root" as const,
    })),
  ];
  for (const { path, place, root } of paths) {
    const fault = pathFault(path, root);
    if (fault !== undefined) add([RULE.envelope.number, ...place], "dotted-path", `the envelope: ${fault}`);
  }
  checkSpellings(empty, (index, text) => {
    add([RULE.envelope.number, ENVELOPE.empty.number, index], "empty-spelling", `the envelope: ${text}`);
  });
}

/** Reports spellings of "empty" that have no effect, with their index. */
export function checkSpellings(
  spellings: readonly Empty_Spelling[],
  add: (index: number, text: string) => void,
): void {
  spellings.forEach((spelling, index) => {
    if (spelling === Empty_Spelling.SPELLING_UNSPECIFIED) {
      add(index, "`empty` has a spelling that says nothing; name one, e.g. EMPTY_ARRAY");
    } else if (spellings.indexOf(spelling) < index) {
      add(index, `\`empty\` names ${valueName(Empty_SpellingSchema, spelling)} twice`);
    }
  });
}

function checkError(rule: Frozen<ErrorRule>, subject: string, add: Add): void {
  const { status, subcode, subcodeText, header, body, code, reason } = rule;
  if (status !== 0 && (status < 100 || status > 599)) {
    add(
      [ERROR.status.number],
      "error-status",
      `an error rule of ${subject}: expected a status from 100 to 599, or 0 for any, got ${status}`,
    );
  }
  if (status === 0 && subcode === undefined && subcodeText === "" && !header && !body) {
    const text = `an error rule of ${subject} has no condition, so it would match every error; set status, subcode, subcode_text, header or body`;
    add([], "error-condition", text);
  }
  if (subcode !== undefined && subcodeText !== "") {
    const text = `an error rule of ${subject} sets both subcode ${subcode} and subcode_text \`${subcodeText}\`; a response has only one of them`;
    add([ERROR.subcodeText.number], "error-subcode", text);
  }
  if (code === Code.OK || (code === undefined && reason === "")) {
    add(
      [],
      "error-meaning",
      `an error rule of ${subject} must set a code other than OK, or a reason; for a status that is no error, use success of the method`,
    );
  }
  const reasonProblem = reason === "" ? undefined : reasonFault(reason);
  if (reasonProblem !== undefined) {
    add(
      [ERROR.reason.number],
      "error-reason",
      `the reason \`${reason}\` ${reasonProblem} (google.rpc.ErrorInfo)`,
    );
  }
  const fault = header && headerFault(header.name);
  if (fault !== undefined) {
    add(
      [ERROR.header.number, CONDITION.name.number],
      "header-name",
      `the condition of an error rule of ${subject}: ${fault}`,
    );
  }
  if (body === undefined) return;
  const addBelow = within(add, ERROR.body.number);
  checkCondition(body, "", (place, code, text) =>
    addBelow(place, code, `the condition of an error rule of ${subject} ${text}`),
  );
}

/**
 * Returns the fault of an error reason. google.rpc.ErrorInfo requires `[A-Z][A-Z0-9_]+[A-Z0-9]`, at most 63
 * characters.
 */
function reasonFault(reason: string): string | undefined {
  if (!/^[A-Z](?:[A-Z0-9_]*[A-Z0-9])?$/.test(reason)) return "must be UPPER_SNAKE_CASE";
  const { length } = reason;
  return length >= 3 && length <= 63
    ? undefined
    : `has ${length} character${length === 1 ? "" : "s"}; expected 3 to 63`;
}

function checkErrorBody({ shape }: Frozen<ErrorBody>, subject: string, add: Add): void {
  if (shape.case === undefined) {
    const text = `an entry of error_bodies of ${subject} has no shape; set items, title_map, field_map, text, oauth or rpc_status`;
    add([], "error-body-shape", text);
    return;
  }
  const [place, path] =
    shape.case === "items"
      ? [[ERROR_BODY.items.number, ErrorItemsSchema.field.path.number], shape.value.path]
      : shape.case === "titleMap"
        ? [[ERROR_BODY.titleMap.number], shape.value]
        : shape.case === "fieldMap"
          ? [[ERROR_BODY.fieldMap.number], shape.value]
          : shape.case === "text"
            ? [[ERROR_BODY.text.number], shape.value]
            : [[], "."];
  const fault = pathFault(path, "root");
  if (fault !== undefined) add(place, "dotted-path", `an entry of error_bodies of ${subject}: ${fault}`);
  if (shape.case !== "items") return;
  for (const name of ["title", "code", "detail", "field"] as const) {
    const inItem = shape.value[name];
    const itemFault = inItem === "" ? undefined : pathFault(inItem, "no root");
    if (itemFault === undefined) continue;
    const text = `the ${name} of the error items of ${subject}: ${itemFault}`;
    add([ERROR_BODY.items.number, ErrorItemsSchema.field[name].number], "dotted-path", text);
  }
}

function checkErrorMetadata(rules: readonly Frozen<ErrorMetadata>[], subject: string, add: Add): void {
  const seen = new Set<string>();
  rules.forEach(({ path, key: named }, index) => {
    const fault = pathFault(path, "no root");
    if (fault !== undefined) {
      add([index, METADATA.path.number], "dotted-path", `error_metadata of ${subject}: ${fault}`);
      return;
    }
    const key = named || lastStepOf(path);
    const text = seen.has(key) ? "has two values; one of them would be lost" : metadataKeyFault(key);
    if (text !== undefined) {
      const place = named === "" ? METADATA.path.number : METADATA.key.number;
      add([index, place], "error-metadata-key", `error_metadata of ${subject}: the key \`${key}\` ${text}`);
    }
    seen.add(key);
  });
}

/**
 * Returns the fault of a metadata key. google.rpc.ErrorInfo allows letters, digits, `_` and `-`, at most 64
 * characters.
 */
function metadataKeyFault(key: string): string | undefined {
  if (RUNTIME_KEYS.has(key)) return "belongs to the runtime; set another `key`";
  if (/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(key)) return undefined;
  return "is none; expected up to 64 letters, digits, `_` and `-`, with a letter in front";
}

function checkRetryAfter({ header, path, when }: Frozen<RetryAfter>, subject: string, add: Add): void {
  if (header === "" && path === "") {
    const text = `a retry_after of ${subject} names no header and no path; set e.g. header: "Retry-After"`;
    add([], "retry-after-header", text);
  } else if (header !== "" && path !== "") {
    const text = `a retry_after of ${subject} has both the header \`${header}\` and the path \`${path}\`; write two rules, the first one first`;
    add([RETRY_AFTER.path.number], "retry-after-header", text);
  } else {
    const fault = header === "" ? pathFault(path, "no root") : headerFault(header);
    const place = header === "" ? RETRY_AFTER.path.number : RETRY_AFTER.header.number;
    const code = header === "" ? "dotted-path" : "header-name";
    if (fault !== undefined) add([place], code, `retry_after of ${subject}: ${fault}`);
  }
  const fault = when && headerFault(when.name);
  if (fault !== undefined) {
    add(
      [RETRY_AFTER.when.number, CONDITION.name.number],
      "header-name",
      `the condition of retry_after of ${subject}: ${fault}`,
    );
  }
}

function checkHeader({ name, value }: { name: string; value: string }, add: Add): void {
  if (headerFault(name) !== undefined) {
    add([], "header", `${JSON.stringify(`${name}: ${value}`)} is not a valid header (RFC 9110 section 5)`);
    return;
  }
  const fault = requestHeaderFault(name);
  if (fault !== undefined) add([HeaderSchema.field.name.number], "header-name", fault);
}

function checkApiKey(apiKey: ServiceAnnotation["apiKey"], subject: string, add: Add): void {
  if (apiKey === undefined) return;
  const { case: place, value } = apiKey.in;
  if (place === undefined || value === "") {
    const text = `the api_key of ${subject} has no place; set query or header`;
    add([], "api-key-place", text);
    return;
  }
  const fault = place === "header" ? requestHeaderFault(value) : undefined;
  if (fault !== undefined) {
    add([ApiKeySchema.field.header.number], "header-name", `the api_key of ${subject}: ${fault}`);
  }
}

function checkCredentials(kinds: readonly Credential_Kind[], subject: string, add: Add): void {
  kinds.forEach((kind, index) => {
    const name = valueName(Credential_KindSchema, kind);
    if (kind === Credential_Kind.KIND_UNSPECIFIED) {
      add(
        [index],
        "credential-kind",
        `the credentials of ${subject}: expected a kind, e.g. NONE or OAUTH2, got ${name}`,
      );
    } else if (kinds.indexOf(kind) < index) {
      add([index], "credential-twice", `the credentials of ${subject} list ${name} twice; remove one`);
    }
  });
}

function checkRateLimit(
  { requests, window, calendarDay, when }: Frozen<RateLimit>,
  desc: DescService | DescMethod,
  add: Add,
): void {
  const subject = nameOf(desc);
  if (when !== undefined && desc.kind === "service") {
    const text = `a rate limit of ${subject} has a condition on requests, which only limits of methods can have; move it to the methods, with one bucket`;
    add([RATE_LIMIT.when.number], "when-request", text);
  } else if (when !== undefined && desc.kind === "rpc") {
    checkRequestCondition(when, desc.input, (place, code, text) =>
      add([RATE_LIMIT.when.number, ...place], code, `the condition of a rate limit of ${subject} ${text}`),
    );
  }
  if (requests <= 0) {
    add(
      [RATE_LIMIT.requests.number],
      "rate-limit-requests",
      `a rate limit of ${subject}: expected 1 request or more, got ${requests}`,
    );
  }
  const hasWindow =
    window !== undefined && (window.seconds > 0n || (window.seconds === 0n && window.nanos > 0));
  if (calendarDay === "" && !hasWindow) {
    const text = `a rate limit of ${subject} has no window; set e.g. window: {seconds: 60} or calendar_day: "UTC"`;
    add([RATE_LIMIT.window.number], "rate-limit-window", text);
  }
  if (calendarDay !== "" && window !== undefined) {
    const text = `a rate limit of ${subject} sets both window and calendar_day; keep one`;
    add([RATE_LIMIT.window.number], "rate-limit-window", text);
  }
  if (calendarDay !== "" && !isTimeZone(calendarDay)) {
    const text = `a rate limit of ${subject}: expected a time zone, e.g. \`UTC\` or \`America/New_York\`, got \`${calendarDay}\``;
    add([RATE_LIMIT.calendarDay.number], "rate-limit-zone", text);
  }
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}
