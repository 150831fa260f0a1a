/** Installs Connect's conformance suite, and runs the suite against the server under test. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Installed, installed, run } from "../support/installed.ts";

const MODULE = "connectrpc.com/conformance";
const VERSION = "v1.0.7";

const HERE = import.meta.dirname;
const BUF = join(HERE, "../../node_modules/.bin/buf");

/** The path of unary methods and server streams. Client streams have only one path. */
export type Path = "connect" | "fast";

/** The outcome of a run. */
export interface Outcome {
  readonly succeeded: boolean;
  readonly passed: number;
  /** The unexpected failures, as the runner reports them. */
  readonly failures: string;
  /** The runner's report about each known failure. */
  readonly knownFailures: readonly string[];
}

/** Installs the runner, with the descriptors of its protos. Needs Go. */
export function installSuite(): Promise<Installed> {
  return installed(`connectconformance-${VERSION}`, async (folder) => {
    mkdirSync(folder);
    const env = { GOBIN: folder, GOFLAGS: "-buildvcs=false" };
    await run("go", ["install", `${MODULE}/cmd/connectconformance@${VERSION}`], { env });
    const download = await run("go", ["mod", "download", "-json", `${MODULE}@${VERSION}`]);
    const { Dir } = JSON.parse(download) as { readonly Dir: string };
    await run(BUF, ["build", join(Dir, "proto"), "-o", descriptorsIn(folder)]);
  });
}

/** Names of cases with a client stream, which take the same path in both runs. */
const STREAMS = ["client-stream", "bidi-stream"].flatMap((kind) => [
  ...(kind === "bidi-stream" ? [] : [`**/${kind}`]),
  `**/${kind}/**`,
]);

/** Runs the suite. For the fast path, runs only the cases that can take it. */
export async function runSuite(folder: string, path: Path): Promise<Outcome> {
  const skipped = path === "fast" ? STREAMS.flatMap((pattern) => ["--skip", pattern]) : [];
  const files = [
    ["--conf", "config.yaml"],
    ["--known-failing", "@known-failing.txt"],
    ["--known-flaky", "@known-flaky.txt"],
  ];
  // The concurrency is low, because the suite has tests with real timeouts, which a busy machine would
  // exceed.
  const bounds = ["--max-servers", "2", "--parallel", "4"];
  const server = [process.execPath, join(HERE, "server.ts"), descriptorsIn(folder), path];
  const args = ["--mode", "server", ...files.flat(), ...bounds, ...skipped, "--", ...server];
  const runner = spawn(join(folder, "connectconformance"), args, {
    cwd: HERE,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    runner.once("error", reject).once("exit", resolve);
  });
  const [output, errors] = await Promise.all([text(runner.stdout), text(runner.stderr)]);
  return { ...outcomeOf(output + errors), succeeded: (await exit) === 0 };
}

function descriptorsIn(folder: string): string {
  return join(folder, "descriptors.binpb");
}

/** Splits the output into reports. A report is a line that may be followed by indented lines. */
function outcomeOf(output: string): Omit<Outcome, "succeeded"> {
  const reports = output.split(/\n(?!\t)/);
  return {
    passed: Number(/^(\d+) passed/m.exec(output)?.[1] ?? 0),
    failures: reports.filter((report) => !report.startsWith("INFO: ")).join("\n"),
    knownFailures: reports.filter((report) => report.startsWith("INFO: ")),
  };
}
