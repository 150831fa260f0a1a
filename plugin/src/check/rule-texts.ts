/** Checks that every string in a rule fits the place where the rule puts it. */
import type { DescEnumValue, DescField, DescMethod, DescOneof, DescService } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { MethodRulesSchema, ServiceRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import type { MethodAnnotation, ServiceAnnotation } from "../model/annotations.ts";
import { segmentFault } from "../model/path-template.ts";
import { type RuleText, ruleTexts } from "../model/rule-texts.ts";
import type { TypeModels } from "../model/types.ts";

/** The use of a string in a rule, which determines its valid characters. */
export type TextKind =
  /** A string with any characters, since it is compared with JSON, or sent as JSON or percent-encoded. */
  | "free"
  /** A name, a key or a spelling, on one line. The check of the rule itself is stricter. */
  | "line"
  /**
   * A string that is sent in a header, or compared with a header: visible ASCII, spaces and tabs (RFC 9110
   * section 5.5).
   */
  | "header value"
  /** A link relation (RFC 8288 section 3.3). */
  | "relation"
  /** A URL path with one variable. */
  | "path";

/** The use of every string in the annotation language. */
export const TEXT_KINDS: Readonly<Record<string, TextKind>> = {
  "ApiKey.header": "line",
  "ApiKey.prefix": "header value",
  "ApiKey.query": "line",
  "Cursor.field": "line",
  "Cursor.header": "line",
  "Cursor.path": "line",
  "Download.chunk": "line",
  "EnumValueRules.aliases": "line",
  "EnumValueRules.wire": "line",
  "Envelope.errors": "line",
  "Envelope.known": "line",
  "Envelope.message": "line",
  "Envelope.payload": "line",
  "Envelope.status": "line",
  "ErrorBody.field_map": "line",
  "ErrorBody.text": "line",
  "ErrorBody.title_map": "line",
  "ErrorItems.code": "line",
  "ErrorItems.detail": "line",
  "ErrorItems.field": "line",
  "ErrorItems.path": "line",
  "ErrorItems.title": "line",
  "ErrorMetadata.key": "line",
  "ErrorMetadata.path": "line",
  "ErrorRule.reason": "line",
  "ErrorRule.subcode_text": "free",
  "FieldRules.absent": "line",
  "FieldRules.aliases": "line",
  "FieldRules.name": "line",
  "Header.name": "line",
  "Header.value": "header value",
  "HeaderCondition.name": "line",
  "HeaderCondition.value": "header value",
  "Mask.of": "line",
  "MethodRules.base": "line",
  "MethodRules.credential_fields": "line",
  "MethodRules.idempotency_key": "line",
  "MethodRules.json_part": "line",
  "MethodRules.scopes": "line",
  "MethodRules.upstream": "line",
  "OneofRules.discriminator": "line",
  "OneofRules.fallback": "line",
  "OneofRules.payload": "line",
  "Operation.header": "line",
  "Operation.link": "line",
  "Operation.path": "path",
  "Operation.result": "line",
  "Operation.result_link": "line",
  "Overlap.key": "line",
  "Overlap.size": "line",
  "Paginate.items": "line",
  "Paginate.known": "line",
  "Paginate.link": "line",
  "Paginate.link_header": "relation",
  "Paginate.link_query": "line",
  "Paginate.offset": "line",
  "Paginate.page": "line",
  "Paginate.total": "line",
  "Parameter.json": "free",
  "Parameter.name": "line",
  "Parameter.value": "free",
  "Poll.ignore_case": "line",
  "Poll.interval_header": "line",
  "Poll.items": "line",
  "Poll.key": "line",
  "Poll.known": "line",
  "PollBatch.gap": "line",
  "PollBatch.heartbeat": "line",
  "PollBatch.items": "line",
  "PollBatch.late": "line",
  "PollBatch.resume_token": "line",
  "PollPages.link_header": "relation",
  "PollPages.page": "line",
  "PollRequest.after": "line",
  "PollRequest.backlog": "line",
  "PollRequest.heartbeat": "line",
  "PollRequest.resume_token": "line",
  "RateLimit.bucket": "line",
  "RateLimit.calendar_day": "line",
  "Records.data": "line",
  "Records.end": "line",
  "Records.event": "line",
  "Records.id": "line",
  "RetryAfter.header": "line",
  "RetryAfter.path": "line",
  "ServiceRules.base": "line",
  "ServiceRules.idempotency_key": "line",
  "ServiceRules.upstream": "line",
  "Source.header": "line",
  "Source.path": "line",
  "Source.rel": "relation",
  "Time.format": "line",
  "Time.none": "line",
  "Upload.chunk": "line",
  "Upload.content_type": "line",
  "Upload.filename": "line",
  "Upload.part": "line",
  "When.key": "line",
  "When.type": "line",
  "When.values": "free",
};

/** An element that can have rules. */
type Ruled = DescService | DescMethod | DescField | DescOneof | DescEnumValue;

/** Reports invalid strings in the rules of a method and its service, even if the rules do not parse. */
export function checkMethodTexts(
  desc: DescMethod,
  own: MethodAnnotation,
  service: ServiceAnnotation,
  problems: Problems,
): void {
  checkTexts(desc.parent, ruleTexts(ServiceRulesSchema, service), problems);
  checkTexts(desc, ruleTexts(MethodRulesSchema, own), problems);
}

/** Reports invalid strings in the rules of a field, a oneof or an enum value. */
export function checkTypeTexts(
  desc: DescField | DescOneof | DescEnumValue,
  types: TypeModels,
  problems: Problems,
): void {
  checkTexts(desc, types.texts(desc), problems);
}

function checkTexts(desc: Ruled, texts: readonly RuleText[], problems: Problems): void {
  for (const { field, name, place, text } of texts) {
    const kind = TEXT_KINDS[field.replace(/^connectrest\.v1\./, "")] ?? "line";
    const fault = FAULTS[kind](text);
    if (fault === undefined) continue;
    problems.add(desc, [RULES, ...place], "rule-text", `${name} of ${nameOf(desc)} ${fault}`);
  }
}

const FAULTS: Readonly<Record<TextKind, (text: string) => string | undefined>> = {
  free: () => undefined,
  line: (text) => characterFault(text, /\p{Cc}/u, "text on one line"),
  "header value": (text) =>
    characterFault(text, /[^\t\x20-\x7e]/u, "printable ASCII on one line (RFC 9110 section 5.5)"),
  relation: (text) =>
    characterFault(text, /[^\x21\x23-\x5b\x5d-\x7e]/u, "one relation, e.g. `next` (RFC 8288)"),
  path: pathFault,
};

/** Returns the first invalid character of a string, with its position. */
function characterFault(text: string, wrong: RegExp, expected: string): string | undefined {
  const at = text.search(wrong);
  if (at < 0) return undefined;
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `has the character U+${code} at ${at + 1}; expected ${expected}`;
}

/**
 * Returns the fault of a path if a URL parser could change or move one of its segments. A variable counts as
 * plain characters.
 */
function pathFault(text: string): string | undefined {
  // the last segment may be empty, since many paths end with a slash
  for (const segment of text
    .replaceAll(/^\/|\/$/g, "")
    .replaceAll(/\{[^{}/]*\}/g, "x")
    .split("/")) {
    const fault = segmentFault(segment);
    if (fault !== undefined) return `is no path: the segment \`${segment}\` ${fault}`;
  }
  return undefined;
}
