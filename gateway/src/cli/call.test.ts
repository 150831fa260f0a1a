import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCli } from "../testing/child.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-call-"));
afterAll(() => rmSync(directory, { recursive: true }));

const testing = path.resolve(import.meta.dirname, "../testing");
writeFileSync(
  path.join(directory, "connect-rest.yaml"),
  `adapters: [${testing}/echo-streams-rest.ts]
upstreams:
  echo: { baseUrl: https://echo.example }
sandbox: { module: ${testing}/echo-sandbox.ts, port: 8099 }
`,
);
const SECRET = "{ env: NO_SUCH_VARIABLE }";
writeFileSync(
  path.join(directory, "secrets.yaml"),
  `adapters: [${testing}/echo-streams-rest.ts]
server: { tls: { certificate: missing.pem, key: missing.pem } }
authorization:
  publicUrl: https://gateway.example
  clients: { robot: { name: Robot, secret: ${SECRET}, grants: [client_credentials] } }
bus: { url: "redis://redis.example", password: ${SECRET}, username: ${SECRET} }
watch: { resumeKey: ${SECRET} }
upstreams:
  echo:
    baseUrl: https://echo.example
    credentials: { apiKey: ${SECRET} }
    proxy: { url: "http://proxy.example:3128", username: ${SECRET}, password: ${SECRET} }
`,
);
writeFileSync(path.join(directory, "latin1.json"), Buffer.from('{"text": "\u00e9"}', "latin1"));
writeFileSync(path.join(directory, "hello.json"), '{"text": "hello from a file"}');

async function cli(...args: readonly string[]) {
  const run = runCli(args, directory);
  const status = await run.exit;
  return { status, ...run.output() };
}

test("call prints the response of the upstream, and nothing else on standard output", async () => {
  const { status, stdout } = await cli("call", "Echo", "--sandbox", "--data", "@hello.json");
  expect({ status, response: JSON.parse(stdout) }).toEqual({
    status: 0,
    response: { text: "hello from a file" },
  });
});

test("the response of a call is printed without characters that control a terminal", async () => {
  const text = "a\u009b31m\u202eb\u2066\u200d\u{e0041}\u001b[0m";
  const { stdout } = await cli("call", "Echo", "--sandbox", "--data", JSON.stringify({ text }));
  expect(JSON.parse(stdout)).toEqual({ text });
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
});

test("call --gateway calls a running gateway", async () => {
  const gateway = runCli(["serve", "--sandbox"], directory);
  try {
    const url = (await gateway.line(/^gateway ready on /)).replace("gateway ready on ", "");
    const { status, stdout } = await cli("call", "Echo", "--gateway", url, "--data", '{"text":"hi"}');
    expect({ status, response: JSON.parse(stdout) }).toEqual({ status: 0, response: { text: "hi" } });
    const failed = await cli("call", "Echo", "--gateway", "http://127.0.0.1:1");
    expect(failed).toMatchObject({
      status: 64 + 14,
      stdout: "",
      stderr: expect.stringMatching(/^error: Unavailable: /),
    });
  } finally {
    gateway.process.kill("SIGKILL");
  }
});

test("call -v also prints the request and the size of the response on standard error", async () => {
  const { stdout, stderr } = await cli("call", "Echo", "--sandbox", "--data", '{"text":"hi"}', "-v");
  expect(JSON.parse(stdout)).toEqual({ text: "hi" });
  expect(stderr).not.toContain("not sent");
  expect(stderr).toMatch(/^> POST http:\/\/127\.0\.0\.1:\d+\/echo\S*$/m);
  expect(stderr).toMatch(/^\{"text":"hi"\}$/m);
  expect(stderr).toMatch(/^< status 200, 13 bytes, [\d.]+ ms, 1 request$/m);
});

test("the exit status of a failed call is 64 plus the code of the RPC", async () => {
  const { status, stdout, stderr } = await cli(
    "call",
    "Echo",
    "--sandbox",
    "--deadline",
    "200ms",
    "--data",
    '{"text":"late"}',
  );
  expect({ status, stdout }).toEqual({ status: 64 + 4, stdout: "" });
  expect(stderr).toMatch(/^error: DeadlineExceeded: .*\(DEADLINE_EXCEEDED\)$/m);
});

test("explain sends nothing, and prints the request as text, as curl or as JSON", async () => {
  const args = ["explain", "echo.v1.EchoService/Echo", "--data", '{"text":"it\'s"}'];
  const text = await cli(...args);
  expect(text.status).toBe(0);
  expect(text.stdout).toContain(
    'echo.v1.EchoService.Echo calls the upstream "echo" (not sent)\n\n> POST https://echo.example/',
  );
  const curl = await cli(...args, "--format", "curl");
  expect(curl.stdout).toMatch(/^curl --globoff -X POST 'https:\/\/echo\.example\//);
  expect(curl.stdout).toContain(`--data-raw '{"text":"it'\\''s"}'`);
  const json = JSON.parse((await cli(...args, "--format", "json")).stdout);
  expect(json).toMatchObject({
    isSent: false,
    requests: [{ verb: "POST", body: { text: '{"text":"it\'s"}' } }],
  });
});

test("explain and methods need no secrets, and explain --send names the missing ones", async () => {
  const config = ["--config", "secrets.yaml"];
  const text = await cli("explain", "Echo", ...config, "--data", '{"text":"hi"}');
  expect({ status: text.status, stderr: text.stderr }).toEqual({ status: 0, stderr: "" });
  expect(text.stdout).toContain("> (credentials are added when the call is sent)");
  const curl = await cli("explain", "Echo", ...config, "--format", "curl");
  expect(curl.stdout).toContain("# the credentials are added when the call is sent; add them");
  expect((await cli("methods", ...config)).stdout).toContain("echo.v1.EchoService/Echo\n");
  const sent = await cli("explain", "Echo", ...config, "--send");
  expect({ status: sent.status, stdout: sent.stdout }).toEqual({ status: 2, stdout: "" });
  expect(sent.stderr).toContain("the environment variable NO_SUCH_VARIABLE is not set");
});

test("explain --send requires --yes for a call that may change data", async () => {
  const args = ["explain", "Repeat", "--sandbox", "--send", "--data", '{"text":"hi"}'];
  const without = await cli(...args);
  expect({ status: without.status, stdout: without.stdout }).toEqual({ status: 1, stdout: "" });
  expect(without.stderr).toMatch(/^error: POST http:\S+ may change data; add --yes to send it$/m);
  const { status, stdout } = await cli(...args, "--yes");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^< 200 \(23 bytes, [\d.]+ ms\)$/m);
});

test("explain --send sends a call of a method without side effects", async () => {
  const { status, stdout } = await cli("explain", "Echo", "--sandbox", "--send", "--data", '{"text":"hi"}');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^< 200 \(13 bytes, [\d.]+ ms\)$/m);
  expect(stdout).toMatch(/^decoded by the (?:scanner|decoder)$/m);
});

test.each([
  [["call", "Eco"], 'no configured service has the method Eco. Did you mean "Echo"?'],
  [["call", "Echo", "--data", "{"], "--data is not a valid echo.v1.EchoRequest: "],
  [["call", "Echo", "--data", '{"txt":1}'], "--data is not a valid echo.v1.EchoRequest: "],
  [["call", "Echo", "--data", "@latin1.json"], "--data @latin1.json: the JSON is not UTF-8"],
  [["call", "Echo", "--data", "@nothing.json"], "--data @nothing.json: the file cannot be read: ENOENT"],
  [["call", "Echo", "--deadline", "5"], "Expected a duration with a unit, e.g. 500ms, 5s or 2m."],
  [["call", "Echo", "--header", "a: b\nc: d"], "Expected a name and a value, e.g. 'x-tenant: a'."],
  [["call", "Echo", "--header", "x"], "Expected a name and a value, e.g. 'x-tenant: a'."],
  [["explain", "Echo", "--format", "xml"], "Allowed choices are text, curl, json."],
])("%j fails with an error that names the problem", async (args, text) => {
  const { status, stdout, stderr } = await cli(...args);
  expect(stderr).toContain(text);
  expect(stdout).toBe("");
  expect([1, 2]).toContain(status);
});
