import { once } from "node:events";
import { requestIdOf } from "../call/caller.ts";
import { prepare } from "../config/inspect.ts";
import { createLocalGateway } from "../gateway.ts";
import { createLogger } from "../log/logger.ts";
import { requireMcpSdk } from "../mcp/load.ts";
import { startConfiguredSandbox } from "./configured-sandbox.ts";
import { upstreamsOf } from "./showcase.ts";

export interface McpCommandOptions {
  readonly config: string;
  readonly sandbox?: boolean;
}

/**
 * Runs `connect-rest mcp`: serves the tools over standard input and output until the client closes standard
 * input. The calls have the credentials of the configuration, which come from the environment and from files.
 * Standard output has nothing but messages of the protocol; the log goes to standard error.
 */
export async function mcp(options: McpCommandOptions): Promise<void> {
  requireMcpSdk();
  const sandbox = await startConfiguredSandbox(options, true);
  try {
    const overrides = { upstreams: sandbox && upstreamsOf(sandbox) };
    const { config, adapters, upstreams, types } = await prepare(options.config, process.env, overrides);
    const { server, strict, webAssembly, differences, log, mcp: settings = {} } = config;
    const gateway = createLocalGateway({
      ...{ adapters, upstreams, types, strict, webAssembly, differences },
      limits: server.limits,
      log: createLogger(log.level),
    });
    try {
      await serveTools(gateway, settings);
    } finally {
      await gateway.close();
    }
  } finally {
    await sandbox?.stop();
  }
}

async function serveTools(
  { rest, callOptions, comments }: ReturnType<typeof createLocalGateway>,
  settings: Parameters<typeof import("../mcp/endpoint.ts").createToolParts>[3],
): Promise<void> {
  const { createToolParts } = await import("../mcp/endpoint.ts");
  const { createToolServer } = await import("../mcp/tool-server.ts");
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const parts = createToolParts(rest, await comments(), callOptions, settings);
  const ended = once(process.stdin, "end");
  const served = serveStdio(() => {
    const caller = { requestId: requestIdOf(undefined), client: "127.0.0.1" };
    return createToolServer(parts, { caller, header: new Headers() });
  });
  await ended;
  await served.close();
}
