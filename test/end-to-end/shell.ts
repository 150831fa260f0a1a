import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./child.ts";

/** Runs a line in a shell, as a person would. Resolves with the output. */
export async function shell(line: string): Promise<string> {
  const bin = path.join(ROOT, "node_modules/.bin");
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = await promisify(execFile)("sh", ["-c", line], {
    cwd: ROOT,
    env,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}
