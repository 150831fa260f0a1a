import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const PACKAGES = ["gateway", "plugin"] as const;

/** The path of a Node.js that the operating system provides. */
const SYSTEM_NODE = "/usr/bin/node";

const folder = mkdtempSync(join(tmpdir(), "old-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly bin: Readonly<Record<string, string>>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(name, "package.json"), "utf8")) as Manifest;
}

const required = manifestOf("gateway").engines.node.replace(">=", "");

/** Returns a module that makes a process report another version. */
function disguiseAs(version: string): string {
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  return `Object.defineProperty(process, "versions", { value: ${versions} });`;
}

/** Runs an executable with `--version`, in a Node.js that reports another version. */
function runAs(version: string, entry: string) {
  const disguise = join(folder, "disguise.cjs");
  writeFileSync(disguise, disguiseAs(version));
  return spawnSync(process.execPath, ["--require", disguise, entry, "--version"], { encoding: "utf8" });
}

const OLDER = [
  "0.12.18",
  "8.17.0",
  "12.22.12",
  "18.20.8",
  "20.20.2",
  "22.18.99",
  "22.9.0",
  "22",
  "22.18.0-nightly",
];
const NEWER = [required, "100.1.2", "22.20.0-nightly"];

test("the repository's scripts also report an old Node.js", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const direct = Object.values(scripts).filter((script) => script.startsWith("node "));
  expect(direct.length).toBeGreaterThan(5);
  for (const script of direct) expect(script).toMatch(/^node -r \.\/scripts\/require-node\.cjs /);
  const guard = "./scripts/require-node.cjs";
  const run = (version: string) => {
    writeFileSync(join(folder, "disguise.cjs"), disguiseAs(version));
    const options = ["-r", join(folder, "disguise.cjs"), "-r", guard, "-e", "process.stdout.write('runs')"];
    return spawnSync(process.execPath, options, { encoding: "utf8" });
  };
  for (const version of NEWER) expect(run(version).stdout).toBe("runs");
  const { status, stdout, stderr } = run("20.20.2");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(
    `the repository needs Node.js ${required} or newer, which npm ci installs; ${process.execPath} is 20.20.2\n`,
  );
});

test.each([
  ["20.20.2", true],
  ["18.0.0", true],
  [process.versions.node, false],
  ["100.1.2", false],
])("after npm ci by Node.js %s, a line explains the warnings of npm: %s", (version, isExplained) => {
  const userAgent = `npm/11.19.1 node/v${version} linux x64 workspaces/false`;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/explain-engine.ts"], {
    encoding: "utf8",
    env: { ...process.env, npm_config_user_agent: userAgent },
  });
  const line =
    `npm runs on Node.js ${version}. npm ci has installed Node.js ${process.versions.node} in node_modules, ` +
    "which all npm scripts of this repository use, so warnings of EBADENGINE need no action. " +
    "To use it for other commands, too: export PATH=$PWD/node_modules/.bin:$PATH\n";
  expect([status, stderr]).toEqual([0, isExplained ? line : ""]);
});

test.each(PACKAGES)("the executable of %s reports the required version if Node.js is too old", (name) => {
  const { name: published, bin } = manifestOf(name);
  for (const entry of Object.values(bin)) {
    for (const version of OLDER) {
      const { status, stdout, stderr } = runAs(version, join(name, entry));
      const text = `${published} needs Node.js ${required} or newer; ${process.execPath} is ${version}\n`;
      expect([status, stdout, stderr]).toEqual([1, "", text]);
    }
  }
});

test.each(PACKAGES)("the executable of %s runs with every Node.js that is new enough", (name) => {
  const [entry = ""] = Object.values(manifestOf(name).bin);
  for (const version of NEWER) {
    const { status, stdout, stderr } = runAs(version, join(name, entry));
    expect([version, status, stderr]).toEqual([version, 0, ""]);
    expect(stdout).toContain(manifestOf(name).version);
  }
});

function versionOf(program: string): number {
  return Number.parseInt(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.slice(1), 10);
}

const isSystemOld = existsSync(SYSTEM_NODE) && versionOf(SYSTEM_NODE) < Number.parseInt(required, 10);

test.skipIf(!isSystemOld)("a Node.js that is actually old can parse the executables", () => {
  for (const name of PACKAGES) {
    const [entry = ""] = Object.values(manifestOf(name).bin);
    const { status, stderr } = spawnSync(SYSTEM_NODE, [join(name, entry), "--help"], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^[a-z-]+ needs Node\.js 22\.19 or newer; \/usr\/bin\/node is \d+\.\d+\.\d+\n$/);
  }
});

test("the executables of all packages are identical, and use only old JavaScript syntax", () => {
  const [first, ...others] = PACKAGES.map((name) => readFileSync(join(name, "bin/entry.cjs"), "utf8"));
  for (const other of others) expect(other).toBe(first);
  // Syntax newer than Node.js 12.
  expect(first).not.toMatch(/\?\.|\?\?|\|\|=|&&=|\d_\d|#\w+ =|static \{|"node:|^import |await/m);
});

test("on a supported Node.js, errors of a program are not changed", () => {
  const { status, stderr } = spawnSync(process.execPath, ["gateway/bin/entry.cjs", "nonsense"], {
    encoding: "utf8",
  });
  expect(status).toBe(2);
  expect(stderr).toContain("unknown command 'nonsense'");
});
