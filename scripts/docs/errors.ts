/** Prints the reference of errors from the runtime's tables. */
import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { BadRequestSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import type { JsonValue } from "../../codec/src/json/json.ts";
import { GATEWAY_REASONS } from "../../gateway/src/call/error-reasons.ts";
import { COMMON_BODIES } from "../../runtime/src/errors/common-bodies.ts";
import { readErrorBody } from "../../runtime/src/errors/error-body.ts";
import type { ErrorReport } from "../../runtime/src/errors/error-report.ts";
import { KNOWN_STATUSES, meaningOf } from "../../runtime/src/errors/status.ts";
import { ERRORS } from "../../runtime/src/errors/table.ts";
import { RETRIED_STATUSES } from "../../runtime/src/retry/retried-statuses.ts";
import { code, page, table } from "./markdown.ts";

const HEAD = new URL("errors-head.md", import.meta.url);
/** Ranges of statuses that share a row, each with one status that represents the range. */
const RANGES: ReadonlyArray<readonly [range: string, status: number]> = [
  ["other 300 to 399", 399],
  ["other 400 to 499", 499],
  ["520 to 530", 520],
  ["other 500 and above", 599],
  ["200 to 299, if a rule makes the status an error, or if the body has errors in place of a payload", 200],
  ["all others", 199],
];

/** Labels of statuses that represent a range. */
const LABELS: Readonly<Record<number, string>> = { 520: "520 to 530" };

/** Returns the page `docs/errors.md`. */
export function errorsPage(): string {
  return page(
    readFileSync(HEAD, "utf8"),
    "## HTTP status to code",
    "This table applies if no rule of the method matches, and the body is not a `google.rpc.Status`.",
    table(["HTTP status", "Code", "Reason"], statusRows()),
    "## Error bodies",
    "A method without `error_bodies` recognizes these bodies, in this order. The text becomes part of the error text. The code becomes the `subcode`, which error rules can match. The fields become violations of a `google.rpc.BadRequest`.",
    ...COMMON_BODIES.flatMap(({ name, examples }) => [
      `**${name}**`,
      table(["Body", "Text", "Code", "Fields"], examples.map(bodyRow)),
    ]),
    "If a body is not JSON, its first 4 KiB are read: plain text unchanged, the `<title>` of HTML, and XML elements such as `<Message>` or `<faultstring>`, with `<Code>` as the code. No other content is shown.",
    "Bodies larger than 256 KB after decompression, and JSON that costs more than 200,000 units (see `maxResponseCost`), are not read. The error then depends only on the status.",
    "If a method has `error_bodies`, or error items in an `envelope`, only these rules determine the code, the fields and the details. If the rules find no text, the text comes from a body in the tables above, or else from the `message` of the envelope.",
    "## What is retried",
    "Only idempotent methods are retried. A method is idempotent because of its verb, an `idempotency_level`, `idempotent`, or an `idempotency_key`. A request that is not idempotent is retried only if no connection was established, because then nothing was sent. No request is retried after a part of its response has reached the caller.",
    "The code of the error decides whether a request is retried, not the HTTP status. For example, if an error rule maps a 403 to RESOURCE_EXHAUSTED, the 403 counts as a rate limit and is retried like a 429. Without such a rule, a 403 is never retried, even with `Retry-After`. Before a retry, the runtime waits for the delay in the RetryInfo plus a random time.",
    table(["Failure", "Code", "Retried"], retriedRows()),
    "A retry must fit into the deadline of the call. If the caller sets no deadline, all waits of a call add up to at most `retry.maxTotalDelayMs` of its upstream, 2 seconds by default. If the next wait does not fit, the call fails immediately with the upstream's error and its RetryInfo. This setting does not limit the intervals of `poll` and `operation`, because they are not retries.",
    "## Reasons of the runtime",
    "The runtime itself reports these errors. Names in braces are placeholders.",
    ...Object.entries(ERRORS).flatMap(([reason, { code: number, text, cause, remedy }]) => [
      `### ${reason}`,
      `${code(codeName(number))}: ${code(text)}`,
      `${cause}`,
      `Remedy: ${remedy}`,
    ]),
    "## Reasons of the gateway",
    "The gateway itself reports these errors, mostly before a call reaches an adapter. The domain of these errors is `connect-rest`. Like the runtime, the gateway also uses `UPSTREAM_CREDENTIALS_MISSING`, `DEADLINE_EXCEEDED` and `CANCELED`. Handlers that a program adds to the gateway choose their own reasons.",
    ...Object.entries(GATEWAY_REASONS).flatMap(([reason, { codes, cause, remedy }]) => [
      `### ${reason}`,
      `${codes.map((number) => code(codeName(number))).join(" or ")}: ${cause}`,
      `Remedy: ${remedy}`,
    ]),
  );
}

function bodyRow(body: JsonValue): string[] {
  const report = readErrorBody(body, []);
  return [JSON.stringify(body), report.text ?? "", report.subcode ?? "", fieldsOf(report).join(", ")].map(
    (cell) => (cell === "" ? "" : code(cell.replaceAll("|", "\\|"))),
  );
}

function fieldsOf({ details = [] }: ErrorReport): readonly string[] {
  const fields = details.flatMap((detail) => {
    if ("type" in detail || detail.desc.typeName !== BadRequestSchema.typeName) return [];
    return create(BadRequestSchema, detail.value).fieldViolations.map(({ field }) => field);
  });
  return [...new Set(fields)];
}

function statusRows(): string[][] {
  const row = (label: string, status: number) => {
    const meaning = meaningOf(status);
    return [label, code(codeName(meaning.code)), code(meaning.reason)];
  };
  return [
    ...KNOWN_STATUSES.map((status) => row(`${status} ${meaningOf(status).phrase}`, status)),
    ...RANGES.map(([label, status]) => row(label, status)),
  ];
}

function retriedRows(): string[][] {
  const words = { always: "yes", "with a delay": "yes, if the response says when to retry", never: "no" };
  const own = (
    ["UPSTREAM_UNREACHABLE", "UPSTREAM_RESET", "UPSTREAM_FAILED", "UPSTREAM_TRUNCATED"] as const
  ).map((reason) => [code(reason), code(codeName(ERRORS[reason].code)), "yes"]);
  const responses = Object.entries(words).map(([retried, text]) => {
    if (retried === "never") return ["all other statuses", "all other codes", text];
    const rows = RETRIED_STATUSES.filter((row) => row.retried === retried);
    const codes = [...new Set(rows.map((row) => code(codeName(row.code))))];
    return [rows.map(({ status }) => LABELS[status] ?? String(status)).join(", "), codes.join(", "), text];
  });
  return [...own, ["all other reasons of the runtime", "", "no"], ...responses];
}

/** Returns the name of a code in gRPC and google.rpc.Code, such as NOT_FOUND. */
function codeName(number: Code): string {
  return Code[number].replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
