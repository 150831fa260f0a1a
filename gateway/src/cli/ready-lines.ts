import type { DescMethod } from "@bufbuild/protobuf";
import { methodPath } from "../call/method-path.ts";
import type { Config } from "../config/load.ts";
import type { Examples } from "../console/options.ts";
import type { Gateway } from "../gateway.ts";
import { bufCurlCommand, curlCommand } from "./example-commands.ts";

/**
 * Returns commands to try first: a call with curl, and the same call with gRPC if it is served. If callers
 * are authorized, the result has commands to sign in and to call with the token. The called method is the
 * first method with a configured example or, without examples, the first method.
 */
export function tryLines(
  gateway: Gateway,
  { examples, server, authorization }: Config,
  publicUrl = authorization?.publicUrl,
): string[] {
  if (publicUrl !== undefined) return signInLines(publicUrl, gateway, examples);
  const method = firstMethod(gateway, examples);
  if (method === undefined) return [];
  const byGrpc = server.reflection ? bufCurlCommand(method, gateway.url, examples) : undefined;
  const commands = [curlCommand(method, gateway.url, examples), byGrpc];
  return ["Try:", ...commands.filter((line) => line !== undefined)];
}

/** Returns the address of the console for a person; undefined if the gateway does not serve the console. */
export function consoleAddress(
  { consoleUrl }: Gateway,
  { authorization }: Config,
  publicUrl = authorization?.publicUrl,
): string | undefined {
  return consoleUrl === undefined || publicUrl === undefined ? consoleUrl : `${publicUrl}/`;
}

/**
 * Returns the lines that show how to sign in and how to call with the token, and that list the paths that
 * need no token.
 */
function signInLines(publicUrl: string, gateway: Gateway, examples: Examples): string[] {
  const method = firstMethod(gateway, examples);
  const call = (method && curlCommand(method, publicUrl, examples)) ?? "";
  const header = `-H "authorization: Bearer $(npx connect-rest token ${publicUrl})"`;
  return [
    `sign in, in a browser: npx connect-rest login ${publicUrl}`,
    `then call: ${call.replace(/^curl /, `curl ${header} `)}`,
    `what applications learn first: ${publicUrl}/.well-known/oauth-authorization-server`,
  ];
}

/** Returns the method for the example calls. */
function firstMethod(gateway: Gateway, examples: Examples): DescMethod | undefined {
  const methods = gateway.services.flatMap((service) => service.methods);
  const configured = Object.keys(examples).map((path) => methods.find((each) => methodPath(each) === path));
  return (
    configured.find((method) => method !== undefined) ?? methods.find((each) => each.methodKind === "unary")
  );
}
