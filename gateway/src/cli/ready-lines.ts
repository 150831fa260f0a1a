import type { DescMethod } from "@bufbuild/protobuf";
import { methodPath } from "../call/method-path.ts";
import type { Config } from "../config/load.ts";
import type { Gateway } from "../gateway.ts";
import { bufCurlCommand, curlCommand, type Examples } from "../pages/example.ts";

/**
 * What to try first: a call with curl, the same with gRPC, and the start page, as far as they are served. The
 * method is the first one that the configuration has an example for, else the first one there is.
 */
export function tryLines(gateway: Gateway, { examples, server }: Config): string[] {
  const method = firstMethod(gateway, examples);
  const commands =
    method === undefined
      ? []
      : [
          curlCommand(method, gateway.url, examples),
          server.reflection ? bufCurlCommand(method, gateway.url, examples) : undefined,
        ];
  const page = server.pages ? `${gateway.url}/` : undefined;
  return [...commands, page].filter((line) => line !== undefined);
}

/** The method to try first. */
export function firstMethod(gateway: Gateway, examples: Examples): DescMethod | undefined {
  const methods = gateway.services.flatMap((service) => service.methods);
  const configured = Object.keys(examples).map((path) => methods.find((each) => methodPath(each) === path));
  return (
    configured.find((method) => method !== undefined) ?? methods.find((each) => each.methodKind === "unary")
  );
}
