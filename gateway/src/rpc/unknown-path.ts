import type { DescService } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { didYouMean } from "connect-rest-runtime/internal";
import { gatewayError } from "../call/gateway-error.ts";
import { show } from "../text/show.ts";

/** The maximum number of names in an error message. The message states how many more there are. */
const MAX_LISTED = 20;

/**
 * Returns the error for a path that names no method. The error names the unknown part and the alternatives.
 * The path is read as `/package.Service/Method`.
 *
 * @param services the services to list; undefined if errors must not list services
 */
export function unknownPathError(path: string, services: readonly DescService[] | undefined): ConnectError {
  if (services === undefined) {
    return gatewayError("METHOD_UNKNOWN", `nothing is served at ${show(path)}`, Code.Unimplemented);
  }
  const [serviceName = "", methodName, ...rest] = path.slice(1).split("/");
  const service = services.find((each) => each.typeName === serviceName);
  if (service === undefined || methodName === undefined || rest.length > 0) {
    return unknownService(path, serviceName, services);
  }
  const methods = service.methods.map((method) => method.name);
  const hint = didYouMean(methodName, methods);
  const text = `${serviceName} has no method ${show(methodName)}.${hint} It has ${list(methods)}.`;
  return gatewayError("METHOD_UNKNOWN", text, Code.Unimplemented);
}

function unknownService(path: string, name: string, services: readonly DescService[]): ConnectError {
  const names = services.map((service) => service.typeName);
  const subject = name.includes(".")
    ? `no service ${show(name)} is served here.`
    : `nothing is served at ${show(path)}.`;
  const hint = name.includes(".") ? didYouMean(name, names) : "";
  return gatewayError("METHOD_UNKNOWN", `${subject}${hint} There are ${list(names)}.`, Code.Unimplemented);
}

function list(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).join(", ");
  return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed;
}
