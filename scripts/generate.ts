/**
 * Runs all generators: `npm run generate`. With `--check` it generates into a temporary folder, lists the
 * files that differ from the committed files, and fails if there are any.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { CONSOLE_ASSETS, consoleModule } from "./console.ts";
import { WASM_SOURCES, wasmModule } from "./wasm.ts";

// The generator's own code is generated first, since the other templates run the generator.
const TEMPLATES = [
  "plugin/buf.gen.yaml",
  "buf.gen.yaml",
  "runtime/buf.gen.yaml",
  "gateway/buf.gen.yaml",
  "test/buf.gen.yaml",
];
/** The folder of the generator's own code. */
const OWN_OUTPUT = "plugin/src/gen";
const OUTPUTS = ["gen", OWN_OUTPUT, "codec/src/gen", "runtime/src/gen", "gateway/src/gen", "test/gen"];

async function generate(output: string): Promise<void> {
  for (const template of TEMPLATES) buf(template, output);
  await addOthers(output);
}

/**
 * Replaces the generated files. A failure changes nothing, except that the generator's own code, which the
 * other templates need, may be new.
 */
async function replaceAll(): Promise<void> {
  const fresh = mkdtempSync(join(tmpdir(), "generated-"));
  try {
    const [own = "", ...others] = TEMPLATES;
    buf(own, fresh);
    replace([OWN_OUTPUT], fresh);
    for (const template of others) buf(template, fresh);
    await addOthers(fresh);
    replace(OUTPUTS, fresh);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

function replace(outputs: readonly string[], fresh: string): void {
  for (const output of outputs) {
    rmSync(output, { recursive: true, force: true });
    cpSync(join(fresh, output), output, { recursive: true });
  }
}

function buf(template: string, output: string): void {
  const args = ["generate", "--template", template, "--output", output];
  const { status } = spawnSync("buf", args, { stdio: "inherit" });
  if (status === 0) return;
  throw new Error(`buf generate --template ${template} failed; the generated files are kept`);
}

/** Adds the files that buf does not generate; called after buf has run, because buf empties the folders. */
async function addOthers(output: string): Promise<void> {
  for (const source of WASM_SOURCES) {
    mkdirSync(dirname(join(output, source.path)), { recursive: true });
    writeFileSync(join(output, source.path), await wasmModule(source));
  }
  mkdirSync(dirname(join(output, CONSOLE_ASSETS)), { recursive: true });
  writeFileSync(join(output, CONSOLE_ASSETS), await consoleModule());
}

/** Returns the generated files of a folder and their text, by relative path. */
function outputsOf(root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const output of OUTPUTS) {
    for (const entry of readdirSync(join(root, output), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(relative(root, path), readFileSync(path, "utf8"));
    }
  }
  return files;
}

async function check(): Promise<number> {
  const fresh = mkdtempSync(join(tmpdir(), "generated-"));
  try {
    await generate(fresh);
    const [now, then] = [outputsOf("."), outputsOf(fresh)];
    const stale = [...new Set([...now.keys(), ...then.keys()])]
      .filter((path) => now.get(path) !== then.get(path))
      .sort();
    for (const path of stale) {
      const what = !then.has(path)
        ? "is not generated any more"
        : now.has(path)
          ? "is not current"
          : "is missing";
      process.stderr.write(`${path} ${what}; run: npm run generate\n`);
    }
    return stale.length === 0 ? 0 : 1;
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

if (process.argv[2] === "--check") {
  process.exitCode = await check();
} else {
  await replaceAll();
}
