import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { browserCommand } from "../../gateway/src/cli/browser.ts";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { visit } from "./browser.ts";
import { type ForeignServer, MACHINE, startForeignServer } from "./foreign-server.ts";
import { startPlainServer } from "./plain-server.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-login-"));
writeFileSync(path.join(directory, "secret"), `${MACHINE.secret}\n`);
const SERVERS: ForeignServer[] = [];
const RUNS: Run[] = [];
let files = 0;

afterEach(async () => {
  for (const run of RUNS.splice(0)) run.process.kill("SIGKILL");
  for (const server of SERVERS.splice(0)) await server.close();
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A user of the command line with a separate home folder. */
class User {
  readonly home = path.join(directory, `home-${files++}`);
  readonly tokens = path.join(this.home, "connect-rest", "tokens.json");
  private readonly env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    const own = { XDG_CONFIG_HOME: this.home, BROWSER: "", DISPLAY: "", WAYLAND_DISPLAY: "" };
    this.env = { ...own, CONNECT_REST_TOKEN_FILE: "", CONNECT_REST_ACCESS_TOKEN: "", ...env };
  }

  start(...args: readonly string[]): Run {
    const run = runCli(args, directory, this.env);
    RUNS.push(run);
    return run;
  }

  async run(...args: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
    const run = this.start(...args);
    const status = await run.exit;
    return { status, ...run.output() };
  }

  /** Signs in with a browser that the test controls. */
  async login(...args: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
    const run = this.start("login", ...args);
    const page = await visit(await run.line(/^http/));
    expect(page.text).toContain("You are signed in");
    return { status: await run.exit, ...run.output() };
  }
}

async function opened(server: Promise<ForeignServer>): Promise<ForeignServer> {
  SERVERS.push(await server);
  return await server;
}

const accountAt = async (server: ForeignServer, token: string) => {
  const response = await fetch(`${server.url}/api`, { headers: { authorization: `Bearer ${token.trim()}` } });
  return response.status === 200 ? await response.json() : response.status;
};

test("login, status, token and logout work with a third-party server", async () => {
  const server = await opened(startForeignServer());
  const user = new User();
  const login = await user.login(server.url, "--scope", "read offline_access");
  expect([login.status, login.stderr]).toEqual([0, ""]);
  expect(login.stdout).toMatch(
    /^To sign in, open this address in a browser on this machine:\nhttp.*\nsigned in to http:\/\/127\.0\.0\.1:\d+ by the client \S+, scope read offline_access, token until \S+Z, refreshed by itself\n$/,
  );
  expect(statSync(user.tokens).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(user.tokens)).mode & 0o777).toBe(0o700);
  const status = await user.run("status");
  expect(status).toMatchObject({ status: 0, stderr: "" });
  expect(status.stdout).toMatch(new RegExp(`^${server.url}: signed in by the client `));
  const json = await user.run("status", server.url, "--json");
  expect(JSON.parse(json.stdout)).toEqual([
    {
      server: server.url,
      issuer: server.url,
      clientId: expect.any(String),
      grant: "authorization_code",
      scope: "read offline_access",
      expiresAt: expect.stringMatching(/Z$/),
      isRefreshable: true,
    },
  ]);
  const token = await user.run("token", `${server.url}/some/path`);
  expect(await accountAt(server, token.stdout)).toMatchObject({ account: "ada" });
  const secrets = Object.values<string>(
    JSON.parse(readFileSync(user.tokens, "utf8")).entries[server.url].tokens,
  );
  for (const secret of secrets.filter((value) => String(value).length > 30)) {
    expect(login.stdout + status.stdout + json.stdout).not.toContain(secret);
  }
  expect(await user.run("logout", server.url)).toEqual({
    status: 0,
    stdout: `signed out of ${server.url}\n`,
    stderr: "",
  });
  expect(await accountAt(server, token.stdout)).toBe(401);
  expect(await user.run("status")).toMatchObject({ status: 1, stdout: "" });
  expect(await user.run("logout", server.url)).toMatchObject({
    status: 0,
    stdout: `not signed in to ${server.url}\n`,
  });
});

test("an expired token is refreshed only once, even if programs request it concurrently", async () => {
  const server = await opened(startForeignServer());
  const user = new User();
  await user.login(server.url, "--scope", "read offline_access");
  const file = JSON.parse(readFileSync(user.tokens, "utf8"));
  file.entries[server.url].tokens.expires_at = Date.now() - 1;
  writeFileSync(user.tokens, JSON.stringify(file));
  const runs = await Promise.all([1, 2, 3].map(() => user.run("token", server.url)));
  expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
  expect(await accountAt(server, runs[0]?.stdout ?? "")).toMatchObject({ account: "ada" });
  expect(server.seen.filter((line) => line === "POST /oauth/token")).toHaveLength(2);
});

test("login works with a server without metadata; logout deletes the tokens, and reports that it could not revoke them", async () => {
  const server = await opened(startPlainServer());
  const user = new User();
  expect(await user.login(server.url)).toMatchObject({ status: 0, stderr: "" });
  const token = await user.run("token", server.url);
  const headers = { authorization: `Bearer ${token.stdout.trim()}` };
  expect((await fetch(server.url, { headers })).status).toBe(200);
  const logout = await user.run("logout", server.url);
  expect(logout).toEqual({
    status: 1,
    stdout: "",
    stderr: `error: ${server.url}: the tokens may still be valid: the server has no revocation endpoint\nWait until the tokens expire, or ask the operator of the server to revoke them.\n`,
  });
  expect((await user.run("status", server.url)).status).toBe(1);
});

test("login opens the browser at the address, unless disabled", async () => {
  const server = await opened(startForeignServer());
  const browser = path.join(directory, "browser");
  const opener = path.join(import.meta.dirname, "browser.ts");
  const script = `#!${process.execPath}\nimport(${JSON.stringify(opener)}).then(({ visit }) => visit(process.argv[2]));\n`;
  writeFileSync(browser, script, { mode: 0o755 });
  const user = new User({ BROWSER: browser });
  expect(await user.run("login", server.url, "--scope", "read")).toMatchObject({ status: 0, stderr: "" });
  const quiet = new User({ BROWSER: path.join(directory, "none") });
  expect(await quiet.login(server.url, "--no-browser", "--scope", "read")).toMatchObject({ status: 0 });
});

test.each([
  [{ BROWSER: "firefox" }, "linux", ["firefox"]],
  [{ DISPLAY: ":0" }, "linux", ["xdg-open"]],
  [{ WAYLAND_DISPLAY: "w" }, "linux", ["xdg-open"]],
  [{}, "linux", undefined],
  [{}, "darwin", ["open"]],
  [{}, "win32", ["rundll32", "url.dll,FileProtocolHandler"]],
] as const)("the command that opens a browser for %j on %s is %j", (env, platform, command) => {
  expect(browserCommand(env, platform)).toEqual(command);
});

test("a program signs in with client credentials from a file", async () => {
  const server = await opened(startForeignServer());
  const user = new User();
  const client = ["--client-credentials", "--client-id", MACHINE.id, "--client-secret-file", "secret"];
  const login = await user.run("login", server.url, ...client, "--scope", "read");
  expect(login).toMatchObject({ status: 0, stderr: "" });
  expect(login.stdout).toMatch(/^signed in to \S+ as the client machine, scope read, token until/);
  const token = await user.run("token", server.url);
  expect(await accountAt(server, token.stdout)).toEqual({ client: "machine", scope: "read" });
});

test("the token in the environment is used unchanged, without reading a file", async () => {
  const user = new User({ CONNECT_REST_ACCESS_TOKEN: "from-outside", CONNECT_REST_TOKEN_FILE: directory });
  expect(await user.run("token", "https://gateway.example")).toEqual({
    status: 0,
    stdout: "from-outside\n",
    stderr: "",
  });
});

test("a token file that other users can read is rejected, with a remedy", async () => {
  const server = await opened(startForeignServer());
  const user = new User();
  await user.login(server.url, "--scope", "read");
  chmodSync(user.tokens, 0o644);
  for (const command of [["status"], ["token", server.url], ["logout", server.url], ["login", server.url]]) {
    expect(await user.run(...command)).toEqual({
      status: 1,
      stdout: "",
      stderr: `error: ${user.tokens}: others may read or write it (mode 0644); expected 0600\nMake sure that only you can access the file (\`chmod 600 FILE\`), or remove it and sign in again.\n`,
    });
  }
});

test.each([
  [["login"], /missing required argument 'gateway'/],
  [["login", "gateway.example"], /Expected an address, e\.g\. https:\/\/gateway\.example\.com\./],
  [["login", "https://user:pw@gateway.example"], /Expected an address/],
  [["login", "https://a.example", "--port", "0"], /Expected a port from 1 to 65535\./],
  [["token", "https://a.example", "--scope", "x"], /unknown option '--scope'/],
])("the invalid command line %j exits with 2", async (args, text) => {
  const { status, stdout, stderr } = await new User().run(...args);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(text);
});

test.each([
  [["login", "http://gateway.example"], /got http to gateway\.example/],
  [["login", "http://127.0.0.1:1"], /the metadata of the authorization server cannot be read: no connection/],
  [
    ["login", "http://127.0.0.1:1", "--client-credentials"],
    /--client-credentials needs --client-id and --client-secret-file/,
  ],
  [
    ["login", "http://127.0.0.1:1", "--client-secret-file", "secret"],
    /--client-secret-file needs --client-id/,
  ],
  [["login", "http://127.0.0.1:1", "--client-id", "a", "--client-secret-file", "none"], /none/],
  [
    ["token", "https://gateway.example"],
    /not signed in: nobody has signed in on this machine\nSign in: `connect-rest login`/,
  ],
])("the failing command %j reports the error and exits with 1", async (args, text) => {
  const { status, stdout, stderr } = await new User().run(...args);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(text);
});
