import { type Violation, ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";

/** What a caller gets to know of a failure. */
export interface Failure {
  readonly code: string;
  readonly text: string;
  readonly reason?: string;
  readonly domain?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Of google.rpc.BadRequest: `field: description`. */
  readonly fields?: readonly string[];
  /** Of buf.validate.Violations: `field: rule`. */
  readonly rules?: readonly string[];
  /** Of google.rpc.RetryInfo, in seconds. */
  readonly retrySeconds?: number;
}

/** The failure of a call; throws when it succeeds, or when it fails in another way. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    () => new Error("expected the call to fail"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw error;
  return { code: Code[error.code] ?? "", text: error.rawMessage, ...detailsOf(error) };
}

function detailsOf(error: ConnectError): Partial<Failure> {
  const [info] = error.findDetails(ErrorInfoSchema);
  const [bad] = error.findDetails(BadRequestSchema);
  const [broken] = error.findDetails(ViolationsSchema);
  const [retry] = error.findDetails(RetryInfoSchema);
  return {
    ...(info && { reason: info.reason, domain: info.domain, metadata: info.metadata }),
    ...(bad && { fields: bad.fieldViolations.map(({ field, description }) => `${field}: ${description}`) }),
    ...(broken && { rules: broken.violations.map(ruleText) }),
    ...(retry?.retryDelay && { retrySeconds: Number(retry.retryDelay.seconds) }),
  };
}

function ruleText({ field, ruleId }: Violation): string {
  const path = field?.elements.map(({ fieldName }) => fieldName).join(".") ?? "";
  return `${path}: ${ruleId}`;
}
