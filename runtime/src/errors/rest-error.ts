import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { type ErrorInfo, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { safeText } from "../text/safe-text.ts";
import { ERRORS, type ErrorReason } from "./table.ts";

/** The `google.rpc.ErrorInfo.domain` of errors without an upstream. */
const OWN_DOMAIN = "connect-rest";

/** An error detail to send: a message and its type, or the bytes of a message of an unknown type. */
export type ErrorDetail = KnownDetail | UnknownDetail;

/** A message and its type. */
export interface KnownDetail {
  readonly desc: DescMessage;
  readonly value: MessageInitShape<DescMessage>;
}

/** The bytes of a message of an unknown type. */
export interface UnknownDetail {
  /** The full name of the type. */
  readonly type: string;
  readonly value: Uint8Array;
}

/** The parts of an error other than its message. */
export interface ErrorExtras {
  /**
   * The `google.rpc.ErrorInfo.domain`, which is the name of the upstream. Default: `upstream` in `values`, or
   * `connect-rest`.
   */
  readonly domain?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further details, which follow the ErrorInfo. */
  readonly details?: readonly ErrorDetail[];
  /** The cause, which is only logged and never shown to callers. */
  readonly cause?: unknown;
}

/** Creates a ConnectError whose first detail is a google.rpc.ErrorInfo. */
export function connectError(
  code: Code,
  text: string,
  reason: string,
  extras: ErrorExtras & { readonly domain: string },
): ConnectError {
  const info: KnownDetail = {
    desc: ErrorInfoSchema,
    value: { reason, domain: extras.domain, metadata: { ...extras.metadata } },
  };
  const error = new ConnectError(text, code, undefined, undefined, extras.cause);
  // the constructor accepts only details of known types
  error.details = [info, ...(extras.details ?? [])];
  return error;
}

/**
 * Creates an error of the runtime.
 *
 * @param reason the reason in the error table
 * @param values the values of the placeholders in the message; each value is truncated, and its control
 *   characters are removed
 */
export function restError(
  reason: ErrorReason,
  values: Readonly<Record<string, string | number>>,
  extras: ErrorExtras = {},
): ConnectError {
  const entry = ERRORS[reason];
  const text = entry.text.replace(/\{(\w+)\}/g, (_whole, name: string) => safeText(String(values[name])));
  const domain = extras.domain ?? (values.upstream === undefined ? OWN_DOMAIN : String(values.upstream));
  return connectError(entry.code, text, reason, { ...extras, domain });
}

/** Returns the `google.rpc.ErrorInfo.reason` of an error, if it has one. */
export function reasonOf(error: ConnectError): string | undefined {
  return infoOf(error)?.reason;
}

/** Returns the google.rpc.ErrorInfo of an error, if it has one. */
export function infoOf(error: ConnectError): ErrorInfo | undefined {
  return error.findDetails(ErrorInfoSchema)[0];
}

/**
 * Adds metadata to the first google.rpc.ErrorInfo of an error, which the runtime created. Returns the error
 * unchanged if it has no ErrorInfo. Never changes an ErrorInfo of the upstream.
 */
export function withMetadata(error: ConnectError, metadata: Readonly<Record<string, string>>): ConnectError {
  const info = infoOf(error);
  if (info === undefined) return error;
  const { rawMessage, code, cause, details } = error;
  const copy = new ConnectError(rawMessage, code, error.metadata, undefined, cause);
  const merged = { ...info, metadata: { ...info.metadata, ...metadata } };
  const own = details.findIndex(isInfo);
  copy.details = details.with(own, { desc: ErrorInfoSchema, value: merged });
  return copy;
}

function isInfo(detail: ConnectError["details"][number]): boolean {
  return "desc" in detail ? detail.desc === ErrorInfoSchema : detail.type === ErrorInfoSchema.typeName;
}
