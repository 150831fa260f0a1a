/** The contestants in Go. They are built on demand, and skipped with a reason if the build fails. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Server } from "./processes.ts";
import { progress } from "./progress.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const FOLDER = path.join(ROOT, "bench/go");
/** The Go executable. Go's installer puts it into a folder that may be missing from the PATH. */
const GO = existsSync("/usr/local/go/bin/go") ? "/usr/local/go/bin/go" : "go";

/** The descriptors of `bench.v1`, which the build writes. */
export const DESCRIPTORS = path.join(FOLDER, "bin/page.binpb");

const BUF = [
  ["generate", "--config", "bench/go/buf.yaml", "--template", "bench/go/buf.gen.yaml"],
  ["proto/blog/v1", "proto/connectrest/v1", "plugin/protos/buf", "bench/go/proto/bench"].flatMap((each) => [
    "--path",
    each,
  ]),
].flat();

/** Build steps for the Go contestants, in order: generate the messages, then build the programs. */
const STEPS: readonly (readonly [command: "go" | "buf", args: readonly string[], folder: string])[] = [
  ["go", ["build", "-o", "bin/protoc-gen-go", "google.golang.org/protobuf/cmd/protoc-gen-go"], FOLDER],
  ["buf", BUF, ROOT],
  [
    "buf",
    ["build", "--config", "bench/go/buf.yaml", "--path", "bench/go/proto/bench", "-o", DESCRIPTORS],
    ROOT,
  ],
  ["go", ["build", "-o", "bin/", "./handler", "./transcoder"], FOLDER],
];

/**
 * Builds the Go contestants. Modules that are missing from Go's cache are downloaded from its proxy, in the
 * versions of `go.sum`.
 *
 * @returns the build error; undefined if the build succeeded
 */
export function buildGo(go = GO): string | undefined {
  progress("the contestants in Go are built");
  for (const [command, args, cwd] of STEPS) {
    const { error, status, stderr } = spawnSync(command === "go" ? go : command, args, {
      cwd,
      encoding: "utf8",
      // Uses only the pinned versions of Go and of the modules.
      env: { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly" },
    });
    if (error !== undefined) return `${command} cannot be run: ${error.message}`;
    if (status !== 0) {
      return `${command} ${args[0]} failed: ${stderr.trim().split("\n").slice(0, 5).join("; ")}`;
    }
  }
  return undefined;
}

/** A Go contestant in a separate process with one processor. */
export class GoProcess implements Server {
  readonly metrics = undefined;
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;
  private listening = 0;

  private constructor(program: string, upstream: string) {
    this.child = spawn(path.join(FOLDER, "bin", program), [upstream], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, GOMAXPROCS: "1" },
    });
    const { stdout } = this.child;
    if (stdout === null) throw new Error(`${program} has no standard output`);
    this.lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** Starts a program of `bench/go/` and waits until it listens. */
  static async start(program: string, upstream: string): Promise<GoProcess> {
    const started = new GoProcess(program, upstream);
    started.listening = (await started.next("port")) ?? 0;
    return started;
  }

  /** Returns the port, which all protocols share. */
  port(): number {
    return this.listening;
  }

  async cpu(): Promise<number> {
    this.child.stdin?.write("cpu\n");
    return await this.next("cpu");
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin?.end();
    await exit;
  }

  private async next(key: "port" | "cpu"): Promise<number> {
    const { value, done } = await this.lines.next();
    if (done === true) throw new Error("a contestant in Go has exited; its own message is above");
    const number = (JSON.parse(value) as Record<string, number>)[key];
    if (number === undefined) throw new Error(`expected a contestant in Go to say its ${key}, got ${value}`);
    return number;
  }
}
