import { type Violation, ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";

/** The parts of an error that a caller sees. */
export interface Failure {
  readonly code: string;
  readonly text: string;
  readonly reason?: string;
  readonly domain?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** `field: description` of google.rpc.BadRequest. */
  readonly fields?: readonly string[];
  /** `field: rule` of buf.validate.Violations. */
  readonly rules?: readonly string[];
  /** The delay of google.rpc.RetryInfo, in seconds. */
  readonly retrySeconds?: number;
}

/** Returns the failure of a call. Throws if the call succeeds or fails in another way. */
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
