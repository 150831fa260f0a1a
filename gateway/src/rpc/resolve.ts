import type { DescService } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { HttpRequest } from "../listener/http.ts";
import { checkConnectRequest } from "./check-connect-request.ts";
import { unknownPathError } from "./unknown-path.ts";

/** What is served, by path. */
export interface Routes {
  /** `/package.Service/Method` to its handler. */
  readonly handlers: ReadonlyMap<string, UniversalHandler>;
  /** In the order of their names, with the methods that have a handler. */
  readonly services: readonly DescService[];
  /** Whether errors name the services and methods that there are. */
  readonly isListed: boolean;
}

/** Why a request is no call: its error, and the HTTP status for clients that speak no RPC protocol. */
export interface Unresolved {
  readonly error: ConnectError;
  readonly status: number;
}

/** The first step of a call: finds the handler of its method by the path of the request. */
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
