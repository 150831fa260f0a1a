import { create, type DescMessage, type DescService, type MessageShape } from "@bufbuild/protobuf";
import { createValidator, type Violation, violationsToProto } from "@bufbuild/protovalidate";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createValidateInterceptor } from "@connectrpc/validate";
import { withFieldViolations } from "./field-violations.ts";

/** Refuses requests that break the constraints of their messages, and can be warmed up. */
export interface Validation {
  readonly interceptor: Interceptor;
  /** @throws ConnectError INVALID_ARGUMENT with the violations */
  check(desc: DescMessage, message: MessageShape<DescMessage>): void;
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
  return {
    interceptor: explained(createValidateInterceptor({ validator })),
    check: (desc, message) => {
      const result = validator.validate(desc, message);
      if (result.kind !== "valid") throw withFieldViolations(invalid(result.error, result.violations));
    },
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

/** The interceptor, with violations also in the form that clients of any language know. */
function explained(interceptor: Interceptor): Interceptor {
  return (next) => {
    const validated = interceptor(next);
    return async (request) => {
      try {
        return await validated(request);
      } catch (error) {
        throw withFieldViolations(error);
      }
    };
  };
}
