/** Writes declarations (`.d.ts`) of a package's sources, in the layout of the sources. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Git ignores this folder, so that an interrupted build leaves no files in the working tree. */
const CACHE = "node_modules/.cache/connect-rest";

/**
 * Writes the declarations of a package below `target`.
 *
 * @param name the folder of the package in the working directory
 * @throws Error if the sources do not compile
 */
export function writeDeclarations(name: string, target: string): void {
  const config = join(CACHE, `tsconfig.build-${name}-${process.pid}.json`);
  const sources = resolve(name);
  const options = {
    extends: resolve("tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: sources,
      outDir: resolve(target),
      resolveJsonModule: true,
    },
    include: [`${sources}/src`],
    exclude: [`${sources}/src/**/*.test.ts`, `${sources}/src/testing`, `${sources}/src/gen/echo`],
  };
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(config, JSON.stringify(options));
  try {
    const { status } = spawnSync("tsc", ["--project", config], { stdio: ["ignore", "inherit", "inherit"] });
    if (status !== 0) throw new Error(`the declarations of ${name}/ cannot be made`);
  } finally {
    rmSync(config);
  }
  for (const file of declarationsOf(target)) {
    // tsc keeps the extensions of the sources in the declarations' imports.
    writeFileSync(file, readFileSync(file, "utf8").replace(/(from\s+"\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

function declarationsOf(target: string): string[] {
  return readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}
