import type { DescService } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { HttpRequest } from "../listener/http.ts";
import { checkConnectRequest } from "./check-connect-request.ts";
import { unknownPathError } from "./unknown-path.ts";

/** The methods that are served, by path. */
export interface Routes {
  /** Maps `/package.Service/Method` to its handler. */
  readonly handlers: ReadonlyMap<string, UniversalHandler>;
  /** The services sorted by name, with only the methods that have a handler. */
  readonly services: readonly DescService[];
  /** Whether errors list the available services and methods. */
  readonly isListed: boolean;
}

/**
 * The reason why a request is not a call: its error, and the HTTP status for clients that use no RPC
 * protocol.
 */
export interface Unresolved {
  readonly error: ConnectError;
  readonly status: number;
}

/** The first step of a call: finds the handler of its method by the request path. */
export function resolve(
  request: HttpRequest,
  { handlers, services, isListed }: Routes,
): UniversalHandler | Unresolved {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const handler = handlers.get(path);
  if (handler === undefined) {
    return { error: unknownPathError(path, isListed ? services : undefined), status: 404 };
  }
  const error = checkConnectRequest(request);
  return error === undefined ? handler : { error, status: 400 };
}
