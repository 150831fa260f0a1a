import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
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
  expect(() => withDate(changelog, "0.3.0", "2026-02-03")).toThrow(
    'CHANGELOG.md has no section "## 0.3.0 (unreleased)"; write one, and release again',
  );
});

test.each([
  ["no version", undefined, "", { repository: "" }, ["no version: name a version, as in 0.2.0"]],
  ["a malformed version", "v1", "", { repository: "" }, ["v1: name a version, as in 0.2.0"]],
  ["changed files", "1.0.0", " M a.ts\n", { repository: "" }, [expect.stringContaining(" M a.ts")]],
  ["no repository", "1.0.0", "", {}, [expect.stringContaining("add the URL of the repository")]],
  ["no obstacle", "1.0.0-rc.1", "", { repository: "" }, []],
])("a release with %s has the expected obstacles", (_, version, status, root, expected) => {
  expect(obstacles(version, status, root)).toEqual(expected);
});
