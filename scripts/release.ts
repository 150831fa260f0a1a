/**
 * Releases all packages with one version:
 *
 *     npm run release -- 0.2.0 --dry-run    checks and builds; npm prints what it would publish. Default: the
 *                                           version in package.json
 *     npm run release -- 0.2.0              sets the version and the date in the changelog, checks and builds
 *     npm run release -- 0.2.0 --publish    builds and publishes a commit with this version
 *
 * Between the last two, a person commits and tags; .github/workflows/release.yml publishes the tag.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PACKAGES } from "./packages.ts";

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?$/;

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Returns a `package.json` with a new version, for the package and for its dependencies in this repository.
 */
export function withVersion<T extends Manifest>(manifest: T, version: string): T {
  const own = new Set(PACKAGES.values());
  const updated = (packages: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(packages).map(([name, range]) => [name, own.has(name) ? `^${version}` : range]),
    );
  const { dependencies, devDependencies, peerDependencies } = manifest;
  return {
    ...manifest,
    version,
    ...(dependencies && { dependencies: updated(dependencies) }),
    ...(devDependencies && { devDependencies: updated(devDependencies) }),
    ...(peerDependencies && { peerDependencies: updated(peerDependencies) }),
  };
}

/**
 * Returns the changelog with the date of a release in place of "unreleased".
 */
export function withDate(changelog: string, version: string, date: string): string {
  return changelog.replace(headingOf(version), `\n## ${version} (${date})\n`);
}

function headingOf(version: string): string {
  return `\n## ${version} (unreleased)\n`;
}

/** The state of the repository before a release. */
interface State {
  readonly version: string | undefined;
  /** The output of `git status --porcelain`. */
  readonly status: string;
  /** The `package.json` of the repository. */
  readonly root: object;
  /** The changelog, whose section gets a date; undefined if the section has one. */
  readonly changelog: string | undefined;
}

/** Returns the reasons against a release, each with its remedy. */
export function obstacles({ version, status, root, changelog }: State): readonly string[] {
  const isVersion = version !== undefined && VERSION.test(version);
  const heading = headingOf(version ?? "");
  return [
    ...(isVersion ? [] : [`${version ?? "no version"}: name a version, as in 0.2.0`]),
    ...(!isVersion || changelog === undefined || changelog.includes(heading)
      ? []
      : [`CHANGELOG.md has no section "${heading.trim()}"; write one, and release again`]),
    ...(status === "" ? [] : [`the working tree has changes; commit them:\n${status}`]),
    ...("repository" in root
      ? []
      : ["package.json has no repository, which provenance statements name; add the URL of the repository"]),
  ];
}

function run(command: string, ...args: readonly string[]): void {
  process.stdout.write(`> ${[command, ...args].join(" ")}\n`);
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

/** Returns the manifests that have the version: of the repository, workspaces, examples and the site. */
export function manifests(workspaces: readonly string[]): readonly string[] {
  return [
    "package.json",
    ...workspaces.map((name) => `${name}/package.json`),
    ...globSync("examples/*/package.json"),
    "site/package.json",
  ];
}

function writeVersion(version: string, workspaces: readonly string[]): void {
  for (const file of manifests(workspaces)) {
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    writeFileSync(file, `${JSON.stringify(withVersion(manifest, version), null, 2)}\n`);
  }
  run("npm", "install", "--package-lock-only", "--no-audit", "--no-fund");
  run(process.execPath, "scripts/complete-lock.ts");
  // Generated files name the version of the generator.
  run("npm", "run", "generate");
}

function publish(version: string, options: readonly string[]): void {
  for (const name of PACKAGES.values()) run("npm", "publish", `./dist/${name}-${version}.tgz`, ...options);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean" }, publish: { type: "boolean" } },
  });
  const root = JSON.parse(readFileSync("package.json", "utf8")) as Manifest & {
    readonly workspaces: readonly string[];
  };
  const status = spawnSync("git", ["status", "--porcelain"], { encoding: "utf8" }).stdout;
  const [version = values["dry-run"] ? root.version : ""] = positionals;
  const changelog = values.publish ? undefined : readFileSync("CHANGELOG.md", "utf8");
  const problems = obstacles({ version: version || undefined, status, root, changelog });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0 && !values["dry-run"]) process.exit(1);
  if (values.publish && root.version !== version) {
    process.stderr.write(
      `package.json has version ${root.version}; run npm run release -- ${version}, and commit\n`,
    );
    process.exit(1);
  }
  if (changelog !== undefined) {
    if (!values["dry-run"]) {
      writeVersion(version, root.workspaces);
      writeFileSync("CHANGELOG.md", withDate(changelog, version, new Date().toISOString().slice(0, 10)));
    }
    run("npm", "run", "check");
  }
  run("npm", "run", "build");
  if (values["dry-run"]) publish(root.version, ["--dry-run", "--provenance=false"]);
  if (values.publish) publish(version, []);
  if (!values["dry-run"] && !values.publish) {
    process.stdout.write(`commit the changes, tag them v${version}, and push the tag\n`);
  }
}
