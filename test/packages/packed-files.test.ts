import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly workspaces?: readonly string[];
}

interface Packed {
  readonly name: string;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

const root = manifestOf(".");

/** The folders whose packages are not published. The gateway contains the bundle of the console. */
const UNPUBLISHED = ["console", "deploy/image"];
const workspaces = (root.workspaces ?? []).filter((folder) => !UNPUBLISHED.includes(folder));

/** Files that a package may contain. */
const SHIPPED =
  /^(?:package\.json|README\.md|LICENSE|bin\/entry\.cjs|src\/browser\.cjs|src\/(?:[\w-]+\/)*(?:[\w-]+\.ts|README\.md))$/;

/** Files that are only for tests. */
const FOR_TESTS = /(?:^|\/)(?:testing|test|fixtures|corpus|__snapshots__|echo)\/|\.test\./;

test("packing a package from a checkout includes its sources but no tests", () => {
  const folders = workspaces.map((folder) => `--workspace=${folder}`);
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", ...folders, "--ignore-scripts"], {
    encoding: "utf8",
  });
  const packages = JSON.parse(stdout) as Packed[];
  const names = workspaces.map((folder) => manifestOf(folder).name);
  expect(packages.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const { name, files } of packages) {
    const paths = files.map(({ path }) => path);
    expect([name, paths.filter((path) => !SHIPPED.test(path) || FOR_TESTS.test(path))]).toEqual([name, []]);
    expect(paths).toContain(name === "connect-rest-sandbox" ? "src/main.ts" : "src/index.ts");
  }
});

test("only built packages can be published, not the folders of the repository", () => {
  for (const folder of [".", ...UNPUBLISHED, ...workspaces]) {
    expect([folder, manifestOf(folder).private]).toEqual([folder, true]);
  }
  for (const folder of workspaces) expect(manifestOf(folder).files).toContain("src");
});
