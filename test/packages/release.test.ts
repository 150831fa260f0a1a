import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { PACKAGES } from "../../scripts/packages.ts";
import { manifests, obstacles, withDate, withVersion } from "../../scripts/release.ts";
import { trackedFiles } from "../../scripts/sources.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly publishConfig?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const OWN = new Set(PACKAGES.values());

function dependenciesOf(manifest: Manifest): Readonly<Record<string, string>> {
  return { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies };
}

const MANIFESTS = [...PACKAGES].map(([folder, name]) => {
  return { name, manifest: JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest };
});

test("a release sets one version in all manifests, also for their dependencies on each other", () => {
  const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly workspaces: readonly string[];
  };
  const tracked = trackedFiles(".").filter((file) => file.endsWith("package.json"));
  expect(manifests(workspaces).toSorted()).toEqual(tracked.toSorted());
  for (const file of tracked) {
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    const changed = withVersion(manifest, "1.2.3");
    expect(changed.version).toBe("1.2.3");
    const before = dependenciesOf(manifest);
    for (const [name, range] of Object.entries(dependenciesOf(changed))) {
      expect([file, name, range]).toEqual([file, name, OWN.has(name) ? "^1.2.3" : before[name]]);
    }
  }
});

test("tests and their helpers read the version instead of stating it", () => {
  const [version = ""] = new Set(MANIFESTS.map(({ manifest }) => manifest.version));
  const files = trackedFiles(".").filter((file) => /\.test\.ts$|^test\/.*\.ts$/.test(file));
  // `connect-rest-runtime/1.2.3`, `protoc-gen-connect-rest v1.2.3`, `^1.2.3`, "1.2.3"
  const stated = new RegExp(`(?:connect-rest[\\w-]*[-/ ]v?|\\^|")${version.replaceAll(".", "\\.")}\\b`);
  const pinned = files.filter((file) => !file.includes("/gen/") && stated.test(readFileSync(file, "utf8")));
  expect(files.length).toBeGreaterThan(300);
  expect(pinned.filter((file) => !import.meta.filename.endsWith(file))).toEqual([]);
});

test("each package is published after the packages that it depends on", () => {
  const published = new Set<string>();
  for (const { name, manifest } of MANIFESTS) {
    expect(manifest.name).toBe(name);
    const needed = Object.keys(manifest.dependencies ?? {}).filter((each) => each.includes("connect-rest"));
    expect([name, needed.filter((each) => !published.has(each))]).toEqual([name, []]);
    published.add(name);
  }
});

test("each package names its licence, and is published with provenance", () => {
  for (const { manifest } of MANIFESTS) {
    expect(manifest).toMatchObject({
      license: "Apache-2.0",
      publishConfig: { access: "public", provenance: true },
    });
  }
});

test("the changelog gets the date of the release", () => {
  const changelog = "# Changelog\n\n## 0.2.0 (unreleased)\n\nNew.\n\n## 0.1.0 (2026-01-01)\n";
  expect(withDate(changelog, "0.2.0", "2026-02-03")).toBe(changelog.replace("unreleased", "2026-02-03"));
});

const READY = { version: "1.0.0", status: "", root: { repository: "" }, changelog: undefined };

test.each([
  ["no version", { version: undefined }, ["no version: name a version, as in 0.2.0"]],
  ["a malformed version", { version: "v1", changelog: "" }, ["v1: name a version, as in 0.2.0"]],
  ["changed files", { status: " M a.ts\n" }, [expect.stringContaining(" M a.ts")]],
  ["no repository", { root: {} }, [expect.stringContaining("add the URL of the repository")]],
  [
    "no section in the changelog",
    { changelog: "# Changelog\n\n## 0.9.0 (unreleased)\n" },
    ['CHANGELOG.md has no section "## 1.0.0 (unreleased)"; write one, and release again'],
  ],
  ["no obstacle", { version: "1.0.0-rc.1", changelog: "\n## 1.0.0-rc.1 (unreleased)\n" }, []],
])("a release with %s has the expected obstacles", (_, state, expected) => {
  expect(obstacles({ ...READY, ...state })).toEqual(expected);
});

test("no folder of a package can be packed, and the error names the remedy", () => {
  for (const folder of PACKAGES.keys()) {
    const { scripts } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const [command = "", script = ""] = scripts.prepack?.split(" ") ?? [];
    const { status, stderr } = spawnSync(command, [script], { cwd: folder, encoding: "utf8" });
    const text = `${resolve(folder)} contains only TypeScript sources; run npm run build in the repository, which writes the packages to dist/\n`;
    expect([folder, status, stderr]).toEqual([folder, 1, text]);
  }
});

test.each(["build", "release"])(
  "npm run %s fails without the installed dependencies, and the error names the remedy",
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), "uninstalled-"));
    for (const file of ["package.json", "scripts"]) cpSync(file, join(folder, file), { recursive: true });
    const [command = "", ...options] = packageJson.scripts[name as "build" | "release"].split(" ");
    const { status, stderr } = spawnSync(command, options, { cwd: folder, encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect([status, stderr]).toEqual([1, "the dependencies are not installed; run npm ci\n"]);
  },
);
