/**
 * Runs all generators: `npm run generate`. With `--check` it generates into a temporary folder, lists the
 * files that differ from the committed files, and fails if there are any.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
const OUTPUTS = ["gen", "plugin/src/gen", "codec/src/gen", "runtime/src/gen", "gateway/src/gen", "test/gen"];

async function generate(output: string): Promise<void> {
  for (const template of TEMPLATES) {
    const { status } = spawnSync("buf", ["generate", "--template", template, "--output", output], {
      stdio: "inherit",
    });
    if (status !== 0) process.exit(1);
  }
  // These files are written after buf has run, because buf empties the folders.
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
  await generate(".");
}
