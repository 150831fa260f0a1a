import type { DescMessage, DescService, MessageShape } from "@bufbuild/protobuf";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { callKey } from "../call/call.ts";
import type { Constraints } from "./constraints.ts";

/**
 * Throws ConnectError INVALID_ARGUMENT with the violations. Until the constraints are loaded, it returns a
 * promise that rejects with this error.
 *
 * @param cost the decoding cost of the message. Default: 0
 */
type Check = (
  desc: DescMessage,
  message: MessageShape<DescMessage>,
  cost?: number,
) => Promise<void> | undefined;

/** Rejects requests that violate the constraints of their messages. */
export interface Validation {
  readonly interceptor: Interceptor;
  readonly check: Check;
  /**
   * Loads protovalidate, and compiles the constraints of one request message. The constraints of other
   * messages are compiled in their first calls.
   */
  warmUp(services: readonly DescService[]): Promise<void>;
}

/**
 * Creates the validation of request messages with protovalidate, which throws INVALID_ARGUMENT with the
 * violations as an error detail. Loading takes about 100 ms and the first message 50 ms, so both happen once
 * the gateway listens, before the first call. Each other message type takes 2 ms in its first call, so
 * services that are never called cost nothing.
 */
export function createValidation(): Validation {
  let constraints: Constraints | undefined;
  let loading: Promise<Constraints> | undefined;
  const load = () => {
    loading ??= import("./constraints.ts").then(({ Constraints }) => {
      constraints = new Constraints();
      return constraints;
    });
    return loading;
  };
  const check: Check = (desc, message, cost = 0) => {
    if (constraints === undefined) return load().then((loaded) => loaded.check(desc, message, cost));
    constraints.check(desc, message, cost);
    return undefined;
  };
  return {
    interceptor: checking(check),
    check,
    warmUp: async (services) => {
      const loaded = await load();
      const input = services[0]?.methods[0]?.input;
      if (input !== undefined) loaded.compile(input);
    },
  };
}

/**
 * Returns an interceptor that checks the message of a unary call, and each message of a stream as it is read.
 */
function checking(check: Check): Interceptor {
  return (next) => async (request) => {
    if (request.stream) {
      const message = checked(request.method.input, request.message, check, () => costOf(request));
      return next({ ...request, message });
    }
    await check(request.method.input, request.message, costOf(request));
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
    await check(desc, message, costOf());
    yield message;
  }
}
