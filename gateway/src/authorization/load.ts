import { createRequire } from "node:module";
import { Code } from "@connectrpc/connect";
import type * as AuthorizationPackage from "connect-rest-authorization";
import { gatewayError } from "../call/gateway-error.ts";

/** The name of the authorization package. Only gateways that authorize callers need the package. */
const PACKAGE = "connect-rest-authorization";

/** How to fix a missing package. */
export const AUTHORIZATION_MISSING = `it needs the package ${PACKAGE}, which is not installed: run npm install ${PACKAGE}`;

/** Returns whether the authorization package is installed. */
export function isAuthorizationInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the authorization package. The import is dynamic because the package contains more modules than the
 * rest of the gateway.
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
