import { readFileSync } from "node:fs";
import path from "node:path";
import type { Client, Tool } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { type Gateway, type GatewayOptions, startGateway } from "connect-rest-gateway";
import type { ServiceAdapter } from "connect-rest-runtime";
import { type Sandbox, startSandbox } from "connect-rest-sandbox";
import { expect } from "vitest";
import { parse } from "yaml";
import { upstreamsOf } from "../end-to-end/world.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

interface Configuration {
  readonly adapters: readonly string[];
  readonly examples: Readonly<Record<string, Record<string, unknown>>>;
}

/** The configuration of this repository. */
export const CONFIGURATION: Configuration = parse(readFileSync(path.join(ROOT, "connect-rest.yaml"), "utf8"));

/** Loads the adapters of all APIs, except the one that hands out tokens. */
export async function allAdapters(): Promise<readonly ServiceAdapter[]> {
  const modules = await Promise.all(
    CONFIGURATION.adapters
      .filter((name) => !name.includes("oauth"))
      .map(async (name) => (await import(path.join(ROOT, name))) as Readonly<Record<string, ServiceAdapter>>),
  );
  return modules.flatMap((module) => Object.values(module).filter(({ service }) => service !== undefined));
}

export interface ToolWorld {
  readonly gateway: Gateway;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** Starts a sandbox, and a gateway that serves all of its APIs as tools. */
export async function startToolWorld(options: Partial<GatewayOptions> = {}): Promise<ToolWorld> {
  const sandbox = await startSandbox({ port: 0 });
  const gateway = await startGateway({
    adapters: await allAdapters(),
    upstreams: upstreamsOf(sandbox),
    mcp: { maxTools: 1000, maxStreamSeconds: 1 },
    limits: { drainNoticeMs: 1 },
    ...options,
  });
  const close = async () => {
    await gateway.close();
    await sandbox.close();
  };
  return { gateway, sandbox, close };
}

const validator = new AjvJsonSchemaValidator();

/** Calls every listed tool with the example of its method, and validates its arguments and its result. */
export async function callEveryTool(client: Client): Promise<readonly string[]> {
  const { tools } = await client.listTools();
  await Promise.all(tools.map((tool) => callExample(client, tool)));
  return tools.map(({ name }) => name);
}

async function callExample(client: Client, tool: Tool): Promise<void> {
  const method = /Calls (\S+)\.$/.exec(tool.description ?? "")?.[1] ?? "";
  // a method without an example needs no arguments
  const given = CONFIGURATION.examples[method] ?? {};
  const accepts = (schema: unknown, value: unknown) => validator.getValidator(schema as never)(value);
  expect([method, accepts(tool.inputSchema, given)]).toMatchObject([method, { valid: true }]);
  const result = await client.callTool({ name: tool.name, arguments: given });
  expect([method, result.isError, result.content]).toEqual([method, undefined, expect.anything()]);
  expect([method, accepts(tool.outputSchema, result.structuredContent)]).toMatchObject([
    method,
    { valid: true },
  ]);
}
