/**
 * Completes package-lock.json: `npm install` omits optional packages of other platforms if the current
 * registry lacks them, and `npm ci` then rejects the lock. Run this script after `npm install`.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface Locked {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
}

const PLATFORMS = ["win32", "darwin", "linux", "android"];
const PROCESSORS = ["x64", "arm64", "armv7", "ia32"];

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {}, dev }) =>
  Object.entries(optionalDependencies)
    // An exact version marks a package for one platform; a range marks an ordinary optional package.
    .filter(([name, version]) => /^\d/.test(version) && lock.packages[`node_modules/${name}`] === undefined)
    .map(([name, version]) => [`node_modules/${name}`, entry(name, version, dev ?? false)] as const),
);
const packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...missing].sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync("package-lock.json", `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
process.stdout.write(`${missing.length} packages of other platforms added\n`);

function entry(name: string, version: string, dev: boolean): object {
  const os = PLATFORMS.find((platform) => name.includes(platform));
  const cpu = PROCESSORS.find((processor) => name.includes(processor));
  return {
    version,
    ...(cpu === undefined ? {} : { cpu: [cpu === "armv7" ? "arm" : cpu] }),
    ...(dev ? { dev } : {}),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}
