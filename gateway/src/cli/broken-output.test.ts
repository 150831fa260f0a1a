import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createProgram } from "./program.ts";

const bin = path.resolve(import.meta.dirname, "../bin.ts");
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-broken-"));
const file = path.join(directory, "connect-rest.yaml");
writeFileSync(
  file,
  `adapters: [${path.resolve(import.meta.dirname, "../testing/echo-rest.ts")}]
upstreams: { echo: { baseUrl: https://echo.example } }
`,
);
const recording = path.join(directory, "empty.har");
writeFileSync(recording, '{"log":{"entries":[]}}');
afterAll(() => rmSync(directory, { recursive: true }));

/** Commands that need a server, tokens from one, or messages of a client before they print. */
const NEEDS_A_SERVER = new Set([
  "serve",
  "call",
  "mcp",
  "login",
  "logout",
  "status",
  "token",
  "upstream-login",
]);
/**
 * Returns whether a command prints output itself, without a server. (`import` runs another program, which
 * prints.)
 */
const OWN_OUTPUT = (name: string) => !NEEDS_A_SERVER.has(name) && name !== "import";
/** The summary that `suggest` prints on standard error. */
const SUMMARY = "0 fields and 0 enum values in 0 files; 0 not patched\n";
const names = createProgram().commands.map((command) => command.name());
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  "check-config": ["--config", file],
  "print-config": ["--config", file],
  methods: ["--config", file],
  explain: ["Echo", "--config", file],
  completion: ["bash"],
  verify: [recording, "--config", file],
  suggest: [recording, "--config", file],
  init: [path.join(directory, "new"), "--yes", "--no-install"],
};
const COMMANDS = [
  ["--version"],
  ["--help"],
  ...names.filter((name) => name !== "import").map((name) => [name, "--help"]),
  ...names.filter(OWN_OUTPUT).map((name) => [name, ...(ARGUMENTS[name] ?? [])]),
];

/** Runs a command, and returns its exit status and standard error. */
async function run(command: readonly string[], stdout: number | "pipe") {
  const child = spawn(process.execPath, [bin, ...command], { stdio: ["ignore", stdout, "pipe"] });
  // the reader closes before the first byte
  child.stdout?.destroy();
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [status] = await once(child, "close");
  return { status, stderr };
}

test
  .skipIf(!existsSync("/dev/full"))
  .each(
    COMMANDS.map((command) => [
      command.join(" ").replace(file, "FILE").replace(directory, "FOLDER"),
      command,
    ]),
  )(
  "connect-rest %s reports that standard output is full, and fails",
  { timeout: 60_000 },
  async (_name, command) => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = await run(command as string[], full);
    closeSync(full);
    expect(stderr).toContain(
      "error: standard output cannot be written: ENOSPC: no space left on device, write\n",
    );
    expect(status).toBe(1);
  },
);

test.each(
  COMMANDS.map((command) => [command.join(" ").replace(file, "FILE").replace(directory, "FOLDER"), command]),
)(
  "connect-rest %s fails silently when the reader of its output closes",
  { timeout: 60_000 },
  async (_name, command) => {
    const { status, stderr } = await run(command as string[], "pipe");
    expect(status).toBe(1);
    expect(stderr.replace(SUMMARY, "")).toBe("");
  },
);
