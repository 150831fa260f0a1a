/** Compiles and writes patched files. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Patch } from "./suggestion.ts";

/** The files that configure buf. */
const CONFIGURATION = ["buf.yaml", "buf.lock"];

/**
 * Compiles patched files in a copy of all sources, with buf or protoc. Returns the problem, or undefined if
 * they compile.
 *
 * @param roots the folders of the sources
 * @param folder the folder of the project, whose `node_modules` may contain buf
 */
export function compileProblem(
  patches: readonly Patch[],
  roots: readonly string[],
  folder: string,
): string | undefined {
  const copy = mkdtempSync(path.join(tmpdir(), "connect-rest-suggest-"));
  try {
    const inside = roots.every((root) => !path.relative(folder, root).startsWith(".."));
    const placed = roots.map((root, index) =>
      path.join(copy, inside ? path.relative(folder, root) : String(index)),
    );
    for (const [index, root] of roots.entries()) copyProtos(root, placed[index] ?? copy);
    for (const { path: file, after } of patches) {
      const at = roots.findIndex((root) => !path.relative(root, file).startsWith(".."));
      writeFileSync(path.join(placed[at] ?? copy, path.relative(roots[at] ?? folder, file)), after);
    }
    return compiled(copy, inside, placed, patches, roots, folder);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function compiled(
  copy: string,
  inside: boolean,
  placed: readonly string[],
  patches: readonly Patch[],
  roots: readonly string[],
  folder: string,
): string | undefined {
  const env = { ...process.env, PATH: [...binariesAbove(folder), process.env.PATH].join(path.delimiter) };
  const configured = CONFIGURATION.filter((name) => existsSync(path.join(folder, name)));
  if (inside) for (const name of configured) cpSync(path.join(folder, name), path.join(copy, name));
  const names = patches.map(({ path: file }) => {
    const root = roots.find((each) => !path.relative(each, file).startsWith("..")) ?? folder;
    return path.relative(root, file);
  });
  const commands = [
    [
      "buf",
      "build",
      inside && configured.length > 0 ? copy : (placed[0] ?? copy),
      "-o",
      path.join(copy, "image.binpb"),
    ],
    ["protoc", ...placed.map((root) => `-I${root}`), "-o", path.join(copy, "image.binpb"), ...names],
  ] as const;
  for (const [command, ...args] of commands) {
    const { error, status, stderr } = spawnSync(command, args, { env, encoding: "utf8", cwd: copy });
    if (error === undefined) {
      return status === 0 ? undefined : `the patched files do not compile:\n${stderr.trim()}`;
    }
  }
  return "neither buf nor protoc is installed; --no-check writes without compiling";
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
