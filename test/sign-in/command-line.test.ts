/**
 * Tests the steps that `npm start -- --auth` prints: sign in at the sandbox with the command line, and call.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../gateway/src/testing/child.ts";
import { Person } from "../support/person.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

test("connect-rest login signs a person in at the sandbox, and connect-rest token prints a token for calls", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "connect-rest-home-"));
  const env = {
    XDG_CONFIG_HOME: home,
    BROWSER: "",
    CONNECT_REST_TOKEN_FILE: "",
    CONNECT_REST_ACCESS_TOKEN: "",
  };
  const served = runCli(["serve", "--auth"], ROOT);
  try {
    const line = await served.line(/^sign in, in a browser: npx connect-rest login /);
    const url = line.replace("sign in, in a browser: npx connect-rest login ", "");
    const login = runCli(["login", url, "--no-browser"], ROOT, env);
    const person = new Person();
    const pages = await person.open(await login.line(/^http/), "none");
    const consent = await person.submit(pages, "allow", "none", { user: "ada", password: "ada-password" });
    expect(consent.text).toContain("Your account at the blog of the sandbox");
    const end = await person.submit(consent, "allow", "none");
    expect(end.text).toContain("You are signed in");
    expect(await login.exit).toBe(0);
    const token = runCli(["token", url], ROOT, env);
    expect(await token.exit).toBe(0);
    const response = await fetch(`${url}/user.v1.UserService/GetUserInfo`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${token.output().stdout.trim()}`,
      },
      body: "{}",
    });
    expect(await response.json()).toMatchObject({ user: { name: "ada" } });
    const logout = runCli(["logout", url], ROOT, env);
    expect(await logout.exit).toBe(0);
  } finally {
    served.process.kill("SIGTERM");
    await served.exit;
    rmSync(home, { recursive: true });
  }
});
