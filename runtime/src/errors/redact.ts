import { create, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { findSecrets } from "../text/find-secrets.ts";
import type { Secret } from "../text/secret.ts";
import type { ErrorDetail } from "./rest-error.ts";

/** Replaces secrets in a text by `[secret]`, however they are written there. */
export function redactText(text: string, secrets: readonly Secret[]): string {
  let clean = "";
  let at = 0;
  for (const [from, to] of findSecrets(text, secrets)) {
    clean += `${text.slice(at, from)}[secret]`;
    at = to;
  }
  return at === 0 ? text : clean + text.slice(at);
}

/** Whether one of the secrets stands in a text. */
export function holdsSecret(text: string, secrets: readonly Secret[]): boolean {
  return findSecrets(text, secrets).length > 0;
}

/** Replaces secrets in all texts of a detail; undefined where it holds one that is no text. */
export function redactDetail(detail: ErrorDetail, secrets: readonly Secret[]): ErrorDetail | undefined {
  if ("type" in detail) {
    return holdsSecret(Buffer.from(detail.value).toString("utf8"), secrets) ? undefined : detail;
  }
  const { desc, value } = detail;
  try {
    const message = create(desc, value);
    if (!holdsSecret(Buffer.from(toBinary(desc, message)).toString("utf8"), secrets)) return { desc, value };
    return { desc, value: fromJson(desc, redactJson(toJson(desc, message), secrets)) };
  } catch {
    return undefined;
  }
}

/** The same error without the secrets: text, metadata, details, and the cause that the log gets. */
export function redactError(error: ConnectError, secrets: readonly Secret[]): ConnectError {
  if (secrets.length === 0) return error;
  const text = redactText(error.rawMessage, secrets);
  const clean = new ConnectError(
    text,
    error.code,
    redactHeaders(error.metadata, secrets),
    undefined,
    redactCause(error.cause, secrets),
  );
  clean.details = error.details.flatMap((detail) => {
    const kept = redactDetail(detail as ErrorDetail, secrets);
    return kept === undefined ? [] : [kept as (typeof error.details)[number]];
  });
  return clean;
}

function redactHeaders(headers: Headers, secrets: readonly Secret[]): Headers {
  const clean = new Headers();
  for (const [name, value] of headers) clean.append(name, redactText(value, secrets));
  return clean;
}

function redactCause(cause: unknown, secrets: readonly Secret[]): unknown {
  if (!(cause instanceof Error)) return cause;
  const message = withoutExcerpt(cause);
  const clean = new Error(redactText(message, secrets));
  clean.name = cause.name;
  clean.stack = redactText(
    (cause.stack ?? "").replace(cause.message, () => message),
    secrets,
  );
  return clean;
}

/** JSON.parse shows a few characters around a mistake, which may be a part of a secret. */
function withoutExcerpt({ name, message }: Error): string {
  return name === "SyntaxError"
    ? message.replace(/, (?:\.\.\.)?".*(?= is not valid JSON$)/s, ", which")
    : message;
}

function redactJson(json: JsonValue, secrets: readonly Secret[]): JsonValue {
  if (typeof json === "string") return redactText(json, secrets);
  if (Array.isArray(json)) return json.map((each) => redactJson(each, secrets));
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [
    redactText(key, secrets),
    redactJson(value, secrets),
  ]);
  return Object.fromEntries(entries) as JsonValue;
}
