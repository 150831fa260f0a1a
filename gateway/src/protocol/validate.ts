import { create, type DescMessage, type DescService, type MessageShape } from "@bufbuild/protobuf";
import { createValidator, type Violation, violationsToProto } from "@bufbuild/protovalidate";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { withFieldViolations } from "./field-violations.ts";

type Check = (desc: DescMessage, message: MessageShape<DescMessage>) => void;

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
  const check: Check = (desc, message) => {
    const result = validator.validate(desc, message);
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
  return new ConnectError(error.message, Code.InvalidArgument, undefined, details, error);
}

function detailOf(violations: readonly Violation[]) {
  const [value, desc] = violationsToProto([...violations]);
  return { desc, value };
}

/** Checks the message of a call, or each message of its stream when it is read. */
function checking(check: Check): Interceptor {
  return (next) => async (request) => {
    if (request.stream) {
      return next({ ...request, message: checked(request.method.input, request.message, check) });
    }
    check(request.method.input, request.message);
    return next(request);
  };
}

async function* checked<M extends MessageShape<DescMessage>>(
  desc: DescMessage,
  messages: AsyncIterable<M>,
  check: Check,
): AsyncGenerator<M> {
  for await (const message of messages) {
    check(desc, message);
    yield message;
  }
}
