/** Runs the real protoc and buf with test generators, in temporary folders. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

export type CompilerName = "protoc" | "buf";

/** A generator to run: its executable and its parameter. */
export interface Plugin {
  readonly path: string;
  readonly parameter: string;
}

/** The result of a compiler run: the written files by path, as hexadecimal bytes, or the error. */
export type Outcome =
  | { readonly files: Readonly<Record<string, Buffer>>; readonly warning: string; readonly error?: undefined }
  | { readonly error: string };

/** Whether protoc is installed. */
export const hasProtoc = spawnSync("protoc", ["--version"]).status === 0;

/** The reason for skipped tests when `hasProtoc` is false. */
export const NO_PROTOC = "protoc is not on the PATH (Debian: protobuf-compiler)";

/** Runs plugins in one invocation of protoc, for the named files. */
export async function runProtoc(
  plugins: readonly Plugin[],
  includes: readonly string[],
  files: readonly string[],
): Promise<Outcome> {
  return await inFolder(async (folder) => {
    await mkdir(join(folder, "out"));
    const generators = plugins.flatMap(({ path, parameter }, index) => [
      `--plugin=protoc-gen-g${index}=${path}`,
      `--g${index}_out=${join(folder, "out")}`,
      `--g${index}_opt=${parameter}`,
    ]);
    const proto = includes.map((include) => `-I${include}`);
    return await run("protoc", [...proto, ...generators, ...files], process.cwd(), join(folder, "out"));
  });
}

/** Runs plugins in one invocation of buf. The inputs of buf are given as lines of YAML under `inputs:`. */
export async function runBuf(plugins: readonly Plugin[], inputs: readonly string[]): Promise<Outcome> {
  return await inFolder(async (folder) => {
    const lines = plugins.flatMap(({ path, parameter }) => [
      `  - local: [${JSON.stringify(path)}]`,
      `    out: ${JSON.stringify(join(folder, "out"))}`,
      "    strategy: all",
      `    opt: ${JSON.stringify(parameter.split(","))}`,
    ]);
    const template = join(folder, "buf.gen.yaml");
    writeFileSync(template, ["version: v2", "inputs:", ...inputs, "plugins:", ...lines, ""].join("\n"));
    return await run("buf", ["generate", "--template", template], process.cwd(), join(folder, "out"));
  });
}

async function inFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "compilers-"));
  try {
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, args: readonly string[], cwd: string, out: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd }, (failure, _stdout, stderr) => {
      if (failure !== null) {
        resolve({ error: stderr.trim() || failure.message });
      } else {
        resolve({ files: readAll(out), warning: stderr.trim() });
      }
    });
  });
}

function readAll(folder: string): Record<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(entries.map((path) => [relative(folder, path), readFileSync(path)]));
}
