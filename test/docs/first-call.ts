import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { blocksOf } from "./blocks.ts";
import { run } from "./shell.ts";
import { curl } from "./shown.ts";

/**
 * Makes the first call that the README of a new project shows, by curl and by TypeScript.
 *
 * @param gateway the address of the project's gateway
 * @returns the response to curl
 */
export async function firstCall(project: string, gateway: string): Promise<string> {
  const blocks = blocksOf(readFileSync(path.join(project, "README.md"), "utf8"));
  const commands = blocks.find(({ language }) => language === "sh")?.text ?? "";
  const program = blocks.find(({ file }) => file === "call.ts")?.text ?? "";
  const real = (text: string) => text.replace("http://127.0.0.1:8080", gateway);
  const response = await curl(real(commands.slice(commands.indexOf("curl "))));
  writeFileSync(path.join(project, "call.ts"), real(program));
  const { status, stdout, stderr } = await run("node call.ts", project);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/'\$typeName': '[\w.]+Response'/);
  return response;
}
