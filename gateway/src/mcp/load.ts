import { createRequire } from "node:module";
import { Code } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";

/** The SDK of the Model Context Protocol. Only gateways that serve tools need the package. */
const PACKAGE = "@modelcontextprotocol/server";

/** How to fix a missing package. */
export const MCP_SDK_MISSING = `it needs the package ${PACKAGE}, which is not installed: run npm install ${PACKAGE}`;

/** Returns whether the SDK is installed. */
export function isMcpSdkInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that the SDK is installed, before a module imports it.
 *
 * @throws ConnectError FAILED_PRECONDITION, reason MCP_SDK_NOT_INSTALLED
 */
export function requireMcpSdk(): void {
  if (isMcpSdkInstalled()) return;
  const text = `mcp is configured, but ${MCP_SDK_MISSING}`;
  throw gatewayError("MCP_SDK_NOT_INSTALLED", text, Code.FailedPrecondition);
}
