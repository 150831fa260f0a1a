/** The method, the messages and the upstreams of `call` and `explain`. */
import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import { createRest, type Rest, type RestOptions, type ServiceAdapter } from "connect-rest-runtime";
import { didYouMean } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import { prepare, prepareDryRun } from "../config/inspect.ts";
import { runtimeOptionsOf } from "../credentials/gateway-upstream.ts";
import { createValidation } from "../protocol/validate.ts";
import { startConfiguredSandbox } from "./configured-sandbox.ts";
import { requestMessages } from "./request-messages.ts";
import { upstreamsOf } from "./showcase.ts";

export interface RequestOptions {
  readonly config: string;
  /** JSON, `@FILE`, or `-`. */
  readonly data: string;
  readonly header?: readonly (readonly [string, string])[];
  /** In milliseconds. */
  readonly deadline?: number;
  readonly sandbox?: boolean;
}

/** Returns the headers that a command line sets. */
export function headersIn({ header = [] }: RequestOptions): [string, string][] {
  return header.map(([name, value]) => [name, value]);
}

/** A method, and the objects that its calls need. */
export interface DescribedMethod {
  readonly method: DescMethod;
  readonly rest: Rest;
  /** The request messages: exactly one, unless the method streams requests. */
  readonly messages: readonly MessageShape<DescMessage>[];
  close(): Promise<void>;
}

/**
 * Reads the configuration, finds a method by `package.Service/Method`, and reads the request.
 *
 * @param callsUpstream whether the upstream is called, which needs the configured secrets
 * @param more options of the runtime, in addition to the configured ones
 * @throws ConfigError, or an Error that names the problem
 */
export async function describedMethod(
  name: string,
  options: RequestOptions,
  callsUpstream: boolean,
  more: Partial<RestOptions> = {},
): Promise<DescribedMethod> {
  const sandbox = await startConfiguredSandbox(options, true);
  try {
    const overrides = { upstreams: sandbox && upstreamsOf(sandbox) };
    const read = callsUpstream ? prepare : prepareDryRun;
    const { adapters, upstreams, types, config } = await read(options.config, process.env, overrides);
    const { differences } = config;
    const rest = createRest({
      adapters,
      upstreams: runtimeOptionsOf(upstreams),
      types,
      differences,
      ...more,
    });
    const method = findMethod(name, adapters);
    const messages = await requestMessages(method, options.data, rest.types);
    const { check } = createValidation();
    for (const message of messages) await check(method.input, message);
    const close = async () => {
      await rest.close();
      await sandbox?.stop();
    };
    return { method, rest, messages, close };
  } catch (error) {
    await sandbox?.stop();
    throw error;
  }
}

/**
 * Finds a method by its path, `package.Service/Method`, or by the end of its path if no other method has this
 * end.
 */
function findMethod(name: string, adapters: readonly ServiceAdapter[]): DescMethod {
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods).map(({ method }) => method));
  const byPath = new Map(methods.map((method) => [methodPath(method), method]));
  const exact = byPath.get(name);
  if (exact !== undefined) return exact;
  const found = [...byPath].filter(([path]) => path.endsWith(`.${name}`) || path.endsWith(`/${name}`));
  const [first] = found;
  if (first === undefined) {
    const known = name.includes("/") ? [...byPath.keys()] : methods.map((method) => method.name);
    const hint = didYouMean(name, known);
    throw new Error(
      `no configured service has the method ${name}.${hint} connect-rest methods lists all methods`,
    );
  }
  if (found.length > 1) {
    throw new Error(`several services have a method ${name}: ${found.map(([path]) => path).join(", ")}`);
  }
  return first[1];
}
