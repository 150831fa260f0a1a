import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Run, runCli } from "../testing/child.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-cli-"));
afterAll(() => rmSync(directory, { recursive: true }));

const testing = path.resolve(import.meta.dirname, "../testing");
const CONFIG = `adapters: [${testing}/echo-rest.ts]
upstreams:
  echo: { baseUrl: https://echo.example }
examples:
  echo.v1.EchoService/Echo: { text: hello }
server: { limits: { drainNoticeMs: 50 } }
sandbox: { module: ${testing}/echo-sandbox.ts }
`;
writeFileSync(path.join(directory, "connect-rest.yaml"), CONFIG);
writeFileSync(path.join(directory, "wrong.yaml"), CONFIG.replace("upstreams:", "upstream:"));
const unused = CONFIG.replace("examples:", "  ecko: { baseUrl: https://echo.example }\nexamples:");
writeFileSync(path.join(directory, "unused.yaml"), unused);
writeFileSync(path.join(directory, "unnamed.yaml"), CONFIG.replace("server: {", 'server: { host: "::",'));
const hosts = CONFIG.replace("server: {", 'server: { host: 0.0.0.0, hosts: ["*"],');
writeFileSync(path.join(directory, "hosts.yaml"), hosts);
writeFileSync(path.join(directory, "broken.yaml"), CONFIG.replace("echo-sandbox", "raw"));

const RUNS: Run[] = [];
afterEach(() => {
  for (const run of RUNS.splice(0)) run.process.kill("SIGKILL");
});

function cli(args: readonly string[], env?: Record<string, string>): Run {
  const run = runCli(args, directory, env);
  RUNS.push(run);
  return run;
}

/** Starts `serve --sandbox` and returns its address. */
async function serve(): Promise<{ run: Run; url: string }> {
  const run = cli(["serve", "--sandbox"]);
  const line = await run.line(/^gateway ready on /);
  return { run, url: line.replace("gateway ready on ", "") };
}

function echo(url: string, text: string): Promise<Response> {
  return fetch(`${url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
}

test("serve prints the ready lines and example calls, serves calls, drains on SIGTERM and exits with 0", async () => {
  const { run, url } = await serve();
  await run.line(/^npx buf curl /);
  expect(await (await echo(url, "hello")).json()).toEqual({ text: "hello" });
  expect(run.output().stdout.split("\n")).toEqual([
    expect.stringMatching(/^sandbox ready on http:\/\/127\.0\.0\.1:\d+$/),
    `gateway ready on ${url}`,
    `console ready on ${url}/`,
    "Try:",
    `curl -d '{"text":"hello"}' -H 'content-type: application/json' ${url}/echo.v1.EchoService/Echo`,
    `npx buf curl --protocol grpc --http2-prior-knowledge --data '{"text":"hello"}' ${url}/echo.v1.EchoService/Echo`,
    "",
  ]);
  run.process.kill("SIGTERM");
  expect(await run.exit).toBe(0);
  const [line] = run.output().stderr.split("\n");
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: "info",
    method: "echo.v1.EchoService/Echo",
    protocol: "connect",
    code: "ok",
    bytesIn: 16,
    bytesOut: 16,
    upstreamStatus: 200,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    durationMs: expect.any(Number),
  });
});

test.each(["SIGTERM", "SIGINT"] as const)("serve completes all calls in flight on %s", async (signal) => {
  const { run, url } = await serve();
  const calls = Promise.all([echo(url, "late 1"), echo(url, "late 2"), echo(url, "late 3")]);
  // When the server responds to a fourth call, it has received the three earlier calls.
  await echo(url, "now");
  run.process.kill(signal);
  const answers = await calls;
  expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
    { text: "late 1" },
    { text: "late 2" },
    { text: "late 3" },
  ]);
  expect(await run.exit).toBe(0);
  await expect(echo(url, "gone")).rejects.toThrow();
});

test("serve exits immediately with status 1 on a second signal", async () => {
  const { run, url } = await serve();
  const call = echo(url, "late").catch(() => undefined);
  await echo(url, "now");
  // Signals in quick succession count as one: npm forwards a signal that the terminal has already sent.
  const pressing = setInterval(() => run.process.kill("SIGINT"), 50);
  expect(await run.exit).toBe(1);
  clearInterval(pressing);
  await call;
});

test("serve completes all calls when one Ctrl-C delivers SIGINT twice", async () => {
  const { run, url } = await serve();
  const call = echo(url, "late");
  await echo(url, "now");
  run.process.kill("SIGINT");
  run.process.kill("SIGINT");
  expect(await (await call).json()).toEqual({ text: "late" });
  expect(await run.exit).toBe(0);
});

test("serve reports that its port is in use, with a remedy", async () => {
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as net.AddressInfo;
  const run = cli(["serve", "--port", String(port)]);
  expect(await run.exit).toBe(1);
  expect(run.output().stderr).toBe(
    `error: port ${port} of 127.0.0.1 is in use; name another with --port or GATEWAY_PORT, or 0 for a free one\n`,
  );
  taken.close();
});

test.each(["metrics", "diagnostics"])(
  "serve reports that the port for %s is in use, with the setting to change",
  async (name) => {
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as net.AddressInfo;
    const config = CONFIG.replace("server: {", `server: { ${name}: { port: ${port} },`);
    writeFileSync(path.join(directory, `${name}.yaml`), config);
    const run = cli(["serve", "--port", "0", "--config", `${name}.yaml`]);
    expect(await run.exit).toBe(1);
    expect(run.output().stderr).toBe(
      `error: port ${port} is in use; name another as server.metrics.port or server.diagnostics.port, or 0 for a free one\n`,
    );
    taken.close();
  },
);

test("serve reports that its address does not belong to this machine", async () => {
  const run = cli(["serve", "--host", "192.0.2.1", "--config", "hosts.yaml"]);
  expect(await run.exit).toBe(1);
  expect(run.output().stderr).toBe(
    "error: 192.0.2.1 is no address of this machine; name another with --host, e.g. 127.0.0.1 or 0.0.0.0\n",
  );
});

const UNNAMED =
  'is not a loopback address: name the hosts that callers use in server.hosts, e.g. [gateway.example.com], or write ["*"] for all where no browser can reach the port; otherwise any web page could call the gateway by DNS rebinding';

test("serve does not listen on a non-loopback address without configured hosts", async () => {
  const run = cli(["serve", "--host", "0.0.0.0"]);
  expect(await run.exit).toBe(2);
  expect(run.output().stderr).toBe(`connect-rest.yaml:6:9: server.host: 0.0.0.0 ${UNNAMED}\n`);
});

test("check-config reports missing hosts, and with hosts warns that the gateway is open to everyone", async () => {
  const unnamed = cli(["check-config", "--config", "unnamed.yaml"]);
  expect(await unnamed.exit).toBe(2);
  expect(unnamed.output().stderr).toBe(`unnamed.yaml:6:17: server.host: :: ${UNNAMED}\n`);
  const named = cli(["check-config", "--config", "hosts.yaml"]);
  expect(await named.exit).toBe(0);
  expect(named.output().stderr).toBe(
    "warning: hosts.yaml:6:17: server.host: 0.0.0.0: the gateway listens beyond loopback and does not authorize callers: anyone who reaches the gateway may call its upstreams with the credentials of the configuration\n",
  );
});

test("serve serves the configured hosts on a non-loopback address, with a warning", async () => {
  const run = cli(["serve", "--config", "hosts.yaml", "--port", "0"]);
  const url = (await run.line(/^gateway ready on /)).replace(
    "gateway ready on http://0.0.0.0",
    "http://127.0.0.1",
  );
  // the host is served, and the console is not, because others can reach the address
  expect((await fetch(url)).status).toBe(404);
  const warning = run
    .output()
    .stderr.split("\n")
    .find((line) => line.includes("does not authorize callers"));
  expect(JSON.parse(warning ?? "")).toMatchObject({ level: "warn", host: "0.0.0.0" });
});

test.each([
  ["missing credentials", "", "they need credentials (api_key), and this upstream has none"],
  [
    "credentials of the wrong kind",
    "credentials: { oauth2: { accessToken: { env: TOKEN } } }",
    "they need credentials (api_key), and this upstream has oauth2",
  ],
])("serve and check-config warn about %s, in one process and with workers", async (_, credentials, text) => {
  const file = "needy.yaml";
  writeFileSync(
    path.join(directory, file),
    `adapters: [${testing}/needy-rest.ts]\nupstreams: { echo: { baseUrl: "http://127.0.0.1:1", ${credentials} } }\n`,
  );
  const check = cli(["check-config", "--config", file], { TOKEN: "a" });
  expect(await check.exit).toBe(0);
  expect(check.output().stderr).toContain(text);
  for (const workers of ["1", "2"]) {
    const run = cli(["serve", "--config", file, "--port", "0", "--workers", workers], { TOKEN: "a" });
    await run.line(/^gateway ready on /);
    const warnings = run
      .output()
      .stderr.split("\n")
      .filter((line) => line.includes(text));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? "")).toMatchObject({ level: "warn", setting: "upstreams.echo" });
    run.process.kill("SIGTERM");
    await run.exit;
  }
});

test("serve prints commands with a token if the configuration authorizes callers", async () => {
  const publicUrl = "http://127.0.0.1:9";
  writeFileSync(
    path.join(directory, "guarded.yaml"),
    `${CONFIG}authorization: { publicUrl: "${publicUrl}" }\n`,
  );
  const run = cli(["serve", "--sandbox", "--config", "guarded.yaml", "--port", "0"]);
  await run.line(/^what applications learn first: /);
  const printed = run.output().stdout;
  expect(printed).toContain(`sign in, in a browser: npx connect-rest login ${publicUrl}\n`);
  const token = `-H "authorization: Bearer $(npx connect-rest token ${publicUrl})"`;
  expect(printed).toContain(`then call: curl ${token} -d '{"text":"hello"}'`);
  // The console signs in at the address of the authorization server only.
  expect(printed).toContain(`console ready on ${publicUrl}/\n`);
});

test.each(["serve", "check-config", "print-config", "methods"])(
  "%s says how to create a project in a folder without one",
  async (command) => {
    const run = runCli([command], mkdtempSync(path.join(directory, "empty-")));
    expect(await run.exit).toBe(2);
    expect(run.output()).toEqual({
      stdout: "",
      stderr:
        "connect-rest.yaml: the working directory has no such file. Create a project with connect-rest init, or with " +
        "connect-rest init --openapi FILE from an OpenAPI document, or import a document with connect-rest import FILE. " +
        "Name another file with --config FILE\n",
    });
  },
);

test("serve reports that the sandbox cannot start", async () => {
  const run = cli(["serve", "--sandbox", "--config", "broken.yaml"]);
  expect(await run.exit).toBe(1);
  expect(run.output().stderr).toBe(
    `error: the sandbox ${testing}/raw.ts exited with status 0 before it was ready; its own message is above\n`,
  );
});

test("serve prints the problems in its configuration and exits with 2", async () => {
  const run = cli(["serve", "--config", "wrong.yaml"]);
  expect(await run.exit).toBe(2);
  expect(run.output()).toEqual({
    stdout: "",
    stderr: 'wrong.yaml:2:1: upstream: unknown setting. Did you mean "upstreams"?\n',
  });
});

test("check-config reports that the configuration is valid, and which services call which upstream", async () => {
  const run = cli(["check-config"]);
  expect(await run.exit).toBe(0);
  const stdout = "connect-rest.yaml is valid: 1 service\n  upstream echo: echo.v1.EchoService\n";
  expect(run.output()).toEqual({ stdout, stderr: "" });
});

test("check-config warns about settings that are probably unintended, and exits with 0", async () => {
  const run = cli(["check-config", "--config", "unused.yaml"]);
  expect(await run.exit).toBe(0);
  expect(run.output().stderr).toBe(
    'warning: unused.yaml:4:9: upstreams.ecko: no adapter calls this upstream. Did you mean "echo"?\n',
  );
});

test("check-config prints every problem and exits with 2", async () => {
  const run = cli(["check-config", "--config", "wrong.yaml"], { GATEWAY_PORT: "-1" });
  expect(await run.exit).toBe(2);
  expect(run.output().stderr.split("\n")).toEqual([
    'environment: GATEWAY_PORT: expected a port from 0 to 65535; it is "-1"',
    'wrong.yaml:2:1: upstream: unknown setting. Did you mean "upstreams"?',
    "",
  ]);
});

test("print-config prints YAML, and schema prints JSON", async () => {
  const printed = cli(["print-config"]);
  expect(await printed.exit).toBe(0);
  expect(printed.output().stdout).toMatch(
    /^adapters:\n {2}- .*echo-rest\.ts\ntypes: \[\]\nupstreams:\n {2}echo:\n/,
  );
  const schema = cli(["schema"]);
  expect(await schema.exit).toBe(0);
  expect(JSON.parse(schema.output().stdout)).toMatchObject({ title: "connect-rest.yaml", type: "object" });
});

test("print-config prints problems instead of an invalid configuration", async () => {
  const run = cli(["print-config", "--config", "wrong.yaml"]);
  expect(await run.exit).toBe(2);
  expect(run.output().stdout).toBe("");
});

test.each([["--help"], ["serve", "--help"], ["check-config", "--help"], ["print-config", "--help"]])(
  "help is printed for connect-rest %s %s",
  async (...args) => {
    const run = cli(args);
    expect(await run.exit).toBe(0);
    expect(run.output().stdout).toMatch(/^Usage: connect-rest /);
  },
);

test("connect-rest --version prints the version", async () => {
  const run = cli(["--version"]);
  expect(await run.exit).toBe(0);
  expect(run.output().stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [["serv"], "error: unknown command 'serv'\n(Did you mean serve?)\n"],
  [["serve", "--prot", "1"], "error: unknown option '--prot'\n(Did you mean --port?)\n"],
  [
    ["serve", "--port", "x"],
    "error: option '--port <port>' argument 'x' is invalid. Expected a port from 0 to 65535.\n",
  ],
  [["serve", "now"], "error: too many arguments for 'serve'. Expected 0 arguments but got 1: now.\n"],
])("connect-rest rejects the arguments %j, and exits with 2", async (args, message) => {
  const run = cli(args);
  expect(await run.exit).toBe(2);
  expect(run.output().stderr).toBe(`${message}(run connect-rest --help for usage)\n`);
});
