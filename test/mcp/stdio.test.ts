import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { callEveryTool } from "./world.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-mcp-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes the configuration of this repository, which lists all tools. */
function writeConfiguration(): string {
  const config = parse(readFileSync(path.join(ROOT, "connect-rest.yaml"), "utf8"));
  const file = path.join(directory, "connect-rest.yaml");
  const absolute = (name: string) => path.join(ROOT, name);
  config.adapters = config.adapters.map(absolute);
  config.sandbox.module = absolute(config.sandbox.module);
  config.mcp = { maxTools: 1000, maxStreamSeconds: 1 };
  writeFileSync(file, stringify(config));
  return file;
}

test("over standard input and output, the client of the SDK calls every tool, and the process ends with its input", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.join(ROOT, "gateway/src/bin.ts"), "mcp", "--sandbox", "--config", writeConfiguration()],
    cwd: ROOT,
    env: { ...(process.env as Record<string, string>), SANDBOX_PORT: "0" },
    stderr: "ignore",
  });
  const errors: Error[] = [];
  transport.onerror = (error) => errors.push(error);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const { pid } = transport;
  expect((await callEveryTool(client)).length).toBeGreaterThan(40);
  await client.close();
  // anything on standard output that is not a message of the protocol is an error of the transport
  expect(errors).toEqual([]);
  expect(() => process.kill(pid ?? 0, 0)).toThrow();
});
