import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, copyCommonJs, type Json } from "../../scripts/bundle.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The packages of this repository that a gateway needs, with their folders. */
const OURS = new Map([
  ["connect-rest-codec", "codec"],
  ["connect-rest-runtime", "runtime"],
  ["connect-rest-gateway", "gateway"],
]);

/** The executable of the gateway, relative to a folder `node_modules`. */
export const EXECUTABLE = "connect-rest-gateway/bin/entry.cjs";

/**
 * Installs the packages of this repository into a folder `node_modules` as they are published, bundled, and
 * links to third-party packages.
 */
export function installPublished(target: string): void {
  const modules = join(ROOT, "node_modules");
  mkdirSync(target);
  for (const name of readdirSync(modules)) {
    if (!OURS.has(name) && !name.startsWith(".")) symlinkSync(join(modules, name), join(target, name));
  }
  for (const [name, source] of OURS) publish(source, join(target, name));
}

function publish(source: string, target: string): void {
  const manifest = JSON.parse(readFileSync(join(ROOT, source, "package.json"), "utf8")) as {
    [key: string]: Json;
  };
  mkdirSync(target);
  bundle(join(ROOT, source), target, manifest);
  const exports = JSON.stringify(manifest.exports).replaceAll(/\.ts"/g, '.js"');
  writeFileSync(
    join(target, "package.json"),
    JSON.stringify({ ...manifest, exports: JSON.parse(exports) as Json }),
  );
  copyCommonJs(join(ROOT, source), target);
}
