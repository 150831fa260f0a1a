import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { createValidator, type Validator, type Violation, violationsToProto } from "@bufbuild/protovalidate";
import { Code, ConnectError } from "@connectrpc/connect";
import { brief } from "../text/show.ts";
import { withFieldViolations } from "./field-violations.ts";

/**
 * The decoding cost above which only the first violation of a message is reported, because recording a
 * violation costs several times as much as checking a value.
 */
const MAX_COST_IN_DETAIL = 10_000;

/** The maximum number of violations in the details of an error, which gRPC sends in a header. */
const MAX_VIOLATIONS = 100;

/**
 * Checks constraints with protovalidate. Loading protovalidate takes longer than loading everything else, so
 * this module is loaded only once the gateway listens.
 */
export class Constraints {
  private readonly validator = createValidator();
  private failFast: Validator | undefined;

  /** @throws ConnectError INVALID_ARGUMENT with the violations */
  check(desc: DescMessage, message: MessageShape<DescMessage>, cost: number): void {
    const result = (cost > MAX_COST_IN_DETAIL ? this.inBrief() : this.validator).validate(desc, message);
    if (result.kind !== "valid") throw withFieldViolations(invalid(result.error, result.violations));
  }

  /** Compiles the constraints of a message. */
  compile(desc: DescMessage): void {
    this.validator.validate(desc, create(desc));
  }

  private inBrief(): Validator {
    this.failFast ??= createValidator({ failFast: true });
    return this.failFast;
  }
}

function invalid(error: Error, violations: readonly Violation[] = []): ConnectError {
  const details = violations.length === 0 ? [] : [detailOf(violations)];
  return new ConnectError(brief(error.message), Code.InvalidArgument, undefined, details, error);
}

function detailOf(violations: readonly Violation[]) {
  const [value, desc] = violationsToProto(violations.slice(0, MAX_VIOLATIONS));
  for (const { field } of value.violations) {
    // callers choose the keys of maps, which may have any length
    for (const { subscript } of field?.elements ?? []) {
      if (subscript.case === "stringKey") subscript.value = brief(subscript.value);
    }
  }
  return { desc, value };
}
