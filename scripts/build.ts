/**
 * Builds the packages for the registry: `npm run build`. A checkout runs from its sources. Published packages
 * contain JavaScript, bundled into one file per entry and a few shared files, since loading hundreds of
 * modules takes longer than compiling them. Writes the bundles, declarations in the layout of the sources,
 * and a tarball per package to dist/, or to the folder in the first argument.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle, copyCommonJs, type Json } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { writeExports } from "./exports.ts";
import { writePages } from "./package-pages.ts";
import { PACKAGES } from "./packages.ts";

const DIST = process.argv[2] ?? "dist";

function build(name: string): void {
  const target = join(DIST, name);
  writeDeclarations(name, target);
  const manifest = JSON.parse(readFileSync(join(name, "package.json"), "utf8")) as { [key: string]: Json };
  bundle(name, target, manifest);
  copyCommonJs(name, target);
  writeFileSync(
    join(target, "package.json"),
    `${JSON.stringify(published(name, target, manifest), null, 2)}\n`,
  );
  writePages(name, target, PACKAGES);
  cpSync("LICENSE", join(target, "LICENSE"));
  if (name === "plugin") copyProtos(target);
  run("npm", ["pack", resolve(target), "--pack-destination", DIST, "--silent", "--ignore-scripts"]);
}

/** Copies the module of .proto files. `cpSync` does not dereference links below the folder. */
function copyProtos(target: string): void {
  for (const entry of readdirSync("plugin/protos")) {
    cpSync(realpathSync(join("plugin/protos", entry)), join(target, "protos", entry), { recursive: true });
  }
}

/**
 * Returns the manifest with references to JavaScript instead of TypeScript. Writes the files for CommonJS.
 */
function published(folder: string, target: string, manifest: { [key: string]: Json }): Json {
  const { repository } = JSON.parse(readFileSync("package.json", "utf8")) as { repository?: Json };
  // `private` and `prepack` are removed; they prevent publishing the repository's TypeScript, which cannot
  // run below node_modules.
  const {
    devDependencies: _devDependencies,
    private: _private,
    scripts: _scripts,
    exports,
    ...rest
  } = manifest;
  return {
    ...rest,
    ...(typeof repository === "string" && {
      repository: { type: "git", url: repository, directory: folder },
    }),
    ...(exports === undefined ? {} : { exports: writeExports(target, exports) }),
    files: ["bin", "src", "docs", "protos"],
  };
}

function run(command: string, options: readonly string[]): void {
  const { status } = spawnSync(command, options, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.exit(1);
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
for (const name of PACKAGES.keys()) build(name);
process.stdout.write(`install all packages with one command, in any order: npm install ${DIST}/*.tgz\n`);
