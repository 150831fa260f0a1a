/** Bundles a package into one JavaScript file per entry and a few shared files. */
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Bundles the executable and the exports. Dependencies stay external. */
export function bundle(name: string, target: string, { exports = {}, bin }: { [key: string]: Json }): void {
  const exported = Object.values(exports as { [key: string]: string });
  const entries = exported.flatMap((path) => globSync(join(name, path).replace("*", "**/*")).sort());
  // A separate file runs before the packages that a bundle imports.
  entries.push(...globSync(join(name, "src/**/builtin-require.ts")));
  buildSync({
    entryPoints: bin === undefined ? entries : [...entries, join(name, "src/bin.ts")],
    outdir: join(target, "src"),
    outbase: join(name, "src"),
    bundle: true,
    splitting: true,
    chunkNames: "shared/[name]-[hash]",
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node22",
    charset: "utf8",
    logLevel: "warning",
  });
}

/** Copies the CommonJS modules: the executable, which starts the program, and the error in browsers. */
export function copyCommonJs(name: string, target: string): void {
  const browser = "src/browser.cjs";
  if (existsSync(join(name, browser))) copyFileSync(join(name, browser), join(target, browser));
  const entry = "bin/entry.cjs";
  const source = join(name, entry);
  if (!existsSync(source)) return;
  mkdirSync(join(target, "bin"));
  const code = readFileSync(source, "utf8").replace('"../src/bin.ts"', '"../src/bin.js"');
  writeFileSync(join(target, entry), code, { mode: 0o755 });
}
