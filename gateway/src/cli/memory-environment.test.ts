import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { giveMemoryBack } from "./memory-environment.ts";

type Starting = NonNullable<Parameters<typeof giveMemoryBack>[0]>;

/** Returns the arguments of the call that replaces the process, or undefined if there is none. */
function startedInPlaceOf(changes: Partial<Starting>): unknown[] | undefined {
  let started: unknown[] | undefined;
  const execve = ((...args: unknown[]) => {
    started = args;
  }) as unknown as NonNullable<Starting["execve"]>;
  giveMemoryBack({
    platform: "linux",
    env: { HOME: "/root" },
    argv: ["node", "/bin/entry.cjs", "serve", "--config", "a b.yaml"],
    execArgv: ["--max-old-space-size=512"],
    execPath: "/usr/bin/node",
    channel: undefined,
    execve,
    ...changes,
  } as Starting);
  return started;
}

test("a serving process is re-executed with the same arguments and an allocator setting that releases memory", () => {
  expect(startedInPlaceOf({})).toEqual([
    "/usr/bin/node",
    ["/usr/bin/node", "--max-old-space-size=512", "/bin/entry.cjs", "serve", "--config", "a b.yaml"],
    { HOME: "/root", MALLOC_MMAP_THRESHOLD_: "1048576" },
  ]);
});

test.each<[string, Partial<Starting>]>([
  ["another command", { argv: ["node", "/bin/entry.cjs", "check-config"] }],
  ["another operating system", { platform: "darwin" }],
  ["an allocator setting of the operator", { env: { MALLOC_MMAP_THRESHOLD_: "65536" } }],
  ["tunables set by the operator", { env: { GLIBC_TUNABLES: "glibc.malloc.arena_max=2" } }],
  ["a debugger", { execArgv: ["--inspect-brk=0"] }],
  ["an IPC channel", { channel: {} } as Partial<Starting>],
])("with %s, the process is not re-executed", (_, changes) => {
  expect(startedInPlaceOf(changes)).toBeUndefined();
});

test("a process that may not be re-executed serves without the setting", () => {
  const reject = (() => {
    throw new Error("ERR_ACCESS_DENIED");
  }) as unknown as NonNullable<Starting["execve"]>;
  expect(() => startedInPlaceOf({ execve: reject })).not.toThrow();
});

test.skipIf(process.platform !== "linux" || process.execve === undefined)(
  "the re-executed process keeps its PID, arguments and output",
  async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-"));
    const script = path.join(directory, "script.mts");
    const module = path.join(import.meta.dirname, "memory-environment.ts");
    const shown =
      "[process.pid, process.env.MALLOC_MMAP_THRESHOLD_, process.execArgv, process.argv.slice(2)]";
    const lines = [
      `import { giveMemoryBack } from ${JSON.stringify(module)};`,
      "giveMemoryBack();",
      `console.log(JSON.stringify(${shown}));`,
    ];
    writeFileSync(script, lines.join("\n"));
    const { MALLOC_MMAP_THRESHOLD_: _, ...env } = process.env;
    const child = spawn(process.execPath, ["--stack-size=900", script, "serve", "a b"], { env });
    const output = await text(child.stdout);
    rmSync(directory, { recursive: true });
    expect(JSON.parse(output)).toEqual([child.pid, "1048576", ["--stack-size=900"], ["serve", "a b"]]);
  },
);
