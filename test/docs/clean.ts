import { expect } from "vitest";
import { run } from "./shell.ts";

/** Checks that `buf lint` (STANDARD) and the compiler report nothing about a project that a page creates. */
export async function expectClean(project: string): Promise<void> {
  const { status, stdout, stderr } = await run("npm run check", project);
  expect(status, stdout + stderr).toBe(0);
}
