import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { startAuthorized } from "../support/authorized-gateway.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

const folder = mkdtempSync(path.join(tmpdir(), "connect-rest-killed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = path.resolve(import.meta.dirname, "../support/issuing-gateway.ts");

/** Lets a gateway issue tokens, and kills it after the nth line. */
async function issueUntilKilled(file: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "inherit"] });
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill("SIGKILL");
  }
  return printed;
}

test.each([3, 7, 20])(
  "a gateway that is killed after it issues %s tokens keeps every token that a client received",
  async (lines) => {
    const file = path.join(folder, `${lines}.sqlite`);
    const printed = await issueUntilKilled(file, lines);
    const of = (kind: string) =>
      printed.filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length + 1));
    // A refresh token that was used just before the kill stays valid for ten seconds, even on a slow machine.
    const killedAt = Date.now();
    const now = () => killedAt;
    const served = await startAuthorized({ store: new SqliteStore({ file, now }), now });
    const steps = new OAuthSteps(served);
    for (const token of of("access")) expect((await steps.call(token)).status).toBe(200);
    const [clientId = ""] = of("client");
    expect((await steps.refresh(clientId, of("refresh").at(-1))).status).toBe(200);
    await served.close();
  },
  60_000,
);
