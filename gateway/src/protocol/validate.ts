import type { DescMessage, DescService, MessageShape } from "@bufbuild/protobuf";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { callKey } from "../call/call.ts";
import type { Constraints } from "./constraints.ts";

/**
 * Throws ConnectError INVALID_ARGUMENT with the violations; before the constraints are loaded, it returns a
 * promise that rejects with it.
 *
 * @param cost what the message cost to decode. Default: little
 */
type Check = (
  desc: DescMessage,
  message: MessageShape<DescMessage>,
  cost?: number,
) => Promise<void> | undefined;

/** Rejects requests that break the constraints of their messages, and can be warmed up. */
export interface Validation {
  readonly interceptor: Interceptor;
  readonly check: Check;
  /**
   * Loads protovalidate, and compiles the constraints of one request message;
   * those of others are with their first calls.
   */
  warmUp(services: readonly DescService[]): Promise<void>;
}

/**
 * Validates request messages with protovalidate: INVALID_ARGUMENT with the violations as an error detail. To
 * load it takes some 100 ms and the first message 50 ms, which is why that is done before the first call, but
 * not before the gateway listens. Each further message takes 2 ms, when it is called first: however many
 * services there are, those that nobody calls cost nothing.
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

/** Checks the message of a call, or each message of its stream when it is read. */
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
