import type { DescMethod } from "@bufbuild/protobuf";
import { methodPath } from "../call/method-path.ts";
import type { Gateway } from "../gateway.ts";
import { bufCurlCommand, curlCommand, type Examples } from "../pages/example.ts";

/**
 * What to try first: a call with curl, the same with gRPC, and the start page. The method is the first one that
 * the configuration has an example for, else the first one there is.
 */
export function tryLines(gateway: Gateway, examples: Examples): string[] {
  const method = firstMethod(gateway, examples);
  const commands =
    method === undefined
      ? []
      : [curlCommand(method, gateway.url, examples), bufCurlCommand(method, gateway.url, examples)];
  return [...commands.filter((command) => command !== undefined), `${gateway.url}/`];
}

function firstMethod(gateway: Gateway, examples: Examples): DescMethod | undefined {
  const methods = gateway.services.flatMap((service) => service.methods);
  const configured = Object.keys(examples).map((path) => methods.find((each) => methodPath(each) === path));
  return (
    configured.find((method) => method !== undefined) ?? methods.find((each) => each.methodKind === "unary")
  );
}
