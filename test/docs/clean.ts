import { expect } from "vitest";
import { run } from "./shell.ts";

/** Checks that a project that a page creates has no findings of `buf lint` (STANDARD) and of the compiler. */
export async function expectClean(project: string): Promise<void> {
  const { status, stdout, stderr } = await run("npm run check", project);
  expect(status, stdout + stderr).toBe(0);
}
