import { createRequire } from "node:module";
import { Code } from "@connectrpc/connect";
import type * as AuthorizationPackage from "connect-rest-authorization";
import { gatewayError } from "../call/gateway-error.ts";

/** How the package of authorization is called, which only gateways need that authorize callers. */
const PACKAGE = "connect-rest-authorization";

/** What to do where it is missing. */
export const AUTHORIZATION_MISSING = `it needs the package ${PACKAGE}, which is not installed: run npm install ${PACKAGE}`;

/** Whether the package of authorization is installed. */
export function isAuthorizationInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the package of authorization: there are more modules in it than in all the rest.
 *
 * @throws ConnectError FAILED_PRECONDITION, reason AUTHORIZATION_NOT_INSTALLED
 */
export async function loadAuthorization(): Promise<typeof AuthorizationPackage> {
  if (!isAuthorizationInstalled()) {
    const text = `authorization is configured, but ${AUTHORIZATION_MISSING}`;
    throw gatewayError("AUTHORIZATION_NOT_INSTALLED", text, Code.FailedPrecondition);
  }
  return await import("connect-rest-authorization");
}
