import { create, type DescMessage, type DescService, type MessageShape } from "@bufbuild/protobuf";
import { createValidator, type Validator, type Violation, violationsToProto } from "@bufbuild/protovalidate";
import { Code, ConnectError, type ContextValues, type Interceptor } from "@connectrpc/connect";
import { callKey } from "../call/call.ts";
import { brief } from "../text/show.ts";
import { withFieldViolations } from "./field-violations.ts";

/** @param cost what the message cost to decode. Default: little */
type Check = (desc: DescMessage, message: MessageShape<DescMessage>, cost?: number) => void;

/**
 * Beyond this cost, the first violation of a message is the only one that is reported: to note a violation costs several
 * times what it does to check a value.
 */
const MAX_COST_IN_DETAIL = 10_000;

/** Violations that an error has in its details: gRPC sends them in a header. */
const MAX_VIOLATIONS = 100;

/** Refuses requests that break the constraints of their messages, and can be warmed up. */
export interface Validation {
  readonly interceptor: Interceptor;
  /** @throws ConnectError INVALID_ARGUMENT with the violations */
  readonly check: Check;
  /** Compiles the constraints of all request messages, one message a turn of the event loop. */
  warmUp(services: readonly DescService[]): Promise<void>;
}

/**
 * Validates request messages with protovalidate: INVALID_ARGUMENT with the violations as an error detail. The first
 * message costs some 50 ms and each further schema some 2 ms, which is why it is done before the first call, but
 * not before the gateway listens.
 */
export function createValidation(): Validation {
  const validator = createValidator();
  let failFast: Validator | undefined;
  const inBrief = () => {
    failFast ??= createValidator({ failFast: true });
    return failFast;
  };
  const check: Check = (desc, message, cost = 0) => {
    const result = (cost > MAX_COST_IN_DETAIL ? inBrief() : validator).validate(desc, message);
    if (result.kind !== "valid") throw withFieldViolations(invalid(result.error, result.violations));
  };
  return {
    interceptor: checking(check),
    check,
    warmUp: async (services) => {
      const inputs = new Set(services.flatMap((service) => service.methods.map((method) => method.input)));
      for (const input of inputs) {
        validator.validate(input, create(input));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

function invalid(error: Error, violations: readonly Violation[] = []): ConnectError {
  const details = violations.length === 0 ? [] : [detailOf(violations)];
  return new ConnectError(brief(error.message), Code.InvalidArgument, undefined, details, error);
}

function detailOf(violations: readonly Violation[]) {
  const [value, desc] = violationsToProto(violations.slice(0, MAX_VIOLATIONS));
  for (const { field } of value.violations) {
    // keys of maps are as long as callers like
    for (const { subscript } of field?.elements ?? []) {
      if (subscript.case === "stringKey") subscript.value = brief(subscript.value);
    }
  }
  return { desc, value };
}

/** Checks the message of a call, or each message of its stream when it is read. */
function checking(check: Check): Interceptor {
  return (next) => async (request) => {
    if (request.stream) {
      const message = checked(request.method.input, request.message, check, () => costOf(request));
      return next({ ...request, message });
    }
    check(request.method.input, request.message, costOf(request));
    return next(request);
  };
}

function costOf({ contextValues }: { readonly contextValues: ContextValues }): number {
  return contextValues.get(callKey)?.messageCost ?? 0;
}

async function* checked<M extends MessageShape<DescMessage>>(
  desc: DescMessage,
  messages: AsyncIterable<M>,
  check: Check,
  costOf: () => number,
): AsyncGenerator<M> {
  for await (const message of messages) {
    check(desc, message, costOf());
    yield message;
  }
}
