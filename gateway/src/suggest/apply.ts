/** Compiles and writes patched files. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ProtoFiles } from "./proto-files.ts";
import type { Patch } from "./suggestion.ts";

/** The maximum number of lines of a compiler that are shown. */
const MAX_LINES = 20;

/** The files that configure buf. */
const CONFIGURATION = ["buf.yaml", "buf.lock"];

/**
 * Compiles patched files in a copy of all sources, with buf or protoc. Returns the problem, or undefined if
 * they compile.
 */
export function compileProblem(
  patches: readonly Patch[],
  { workspace, modules, roots }: ProtoFiles,
): string | undefined {
  const copy = mkdtempSync(path.join(tmpdir(), "connect-rest-suggest-"));
  try {
    const all = [...new Set([...modules, ...roots])];
    const folders = all.map((folder, index) => ({
      folder,
      copied: isBelow(folder, workspace)
        ? path.join(copy, path.relative(workspace, folder))
        : path.join(copy, `${index}`),
    }));
    for (const { folder, copied } of folders) copyProtos(folder, copied);
    const names = patches.map(({ path: file, after }) => {
      const { folder = "", copied = copy } = folders.find((each) => isBelow(file, each.folder)) ?? {};
      const name = path.relative(folder, file);
      writeFileSync(path.join(copied, name), after);
      return name;
    });
    for (const name of CONFIGURATION) {
      if (existsSync(path.join(workspace, name))) cpSync(path.join(workspace, name), path.join(copy, name));
    }
    const includes = folders.map(({ copied }) => `-I${copied}`);
    return failure(copy, workspace, [
      ["buf", "build"],
      ["protoc", ...includes, "-o", path.join(copy, "image.binpb"), ...names],
    ]);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Runs the first command that is installed, and returns its problem. */
function failure(
  folder: string,
  workspace: string,
  commands: readonly (readonly string[])[],
): string | undefined {
  const env = { ...process.env, PATH: [...binariesAbove(workspace), process.env.PATH].join(path.delimiter) };
  for (const [command = "", ...args] of commands) {
    const { error, status, stderr } = spawnSync(command, args, { env, encoding: "utf8", cwd: folder });
    const lines = stderr?.trim().replaceAll(`${folder}${path.sep}`, "").split("\n").slice(0, MAX_LINES) ?? [];
    if (error === undefined && status === 0) return undefined;
    if (error === undefined) return `the changed files do not compile with ${command}:\n${lines.join("\n")}`;
  }
  return "neither buf nor protoc is installed; --no-check writes without compiling";
}

function isBelow(file: string, folder: string): boolean {
  return !path.relative(folder, file).startsWith("..");
}

function copyProtos(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: (source) => {
      const name = path.relative(from, source);
      if (name.split(path.sep).includes("node_modules")) return false;
      return !path.extname(name) || name.endsWith(".proto");
    },
  });
}

/** Returns the folders of executables of npm packages, of a folder and the folders above it. */
function binariesAbove(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return [path.join(folder, "node_modules/.bin"), ...(parent === folder ? [] : binariesAbove(parent))];
}

/** Writes all files, or none. */
export function writeAll(patches: readonly Patch[]): void {
  const temporary = patches.map(({ path: file }) => `${file}.${process.pid}.tmp`);
  const renamed: Patch[] = [];
  try {
    for (const [index, { after }] of patches.entries()) {
      writeFileSync(temporary[index] ?? "", after, { flag: "wx" });
    }
    for (const [index, patch] of patches.entries()) {
      renameSync(temporary[index] ?? "", patch.path);
      renamed.push(patch);
    }
  } catch (error) {
    for (const { path: file, before } of renamed) writeFileSync(file, before);
    throw error;
  } finally {
    for (const file of temporary) rmSync(file, { force: true });
  }
}
