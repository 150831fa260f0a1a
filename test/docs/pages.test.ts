import { spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../gateway/src/cli/program.ts";
import { OPTION_NAMES } from "../../plugin/src/protocol/parameter.ts";
import { anchor, code, page, table } from "../../scripts/docs/markdown.ts";
import { ROOT } from "./shell.ts";

const PAGES = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...readdirSync(path.join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...["plugin", "runtime", "gateway", "sandbox", "bench"].map((room) => `${room}/README.md`),
  ...globSync("examples/{,*/}README.md", { cwd: ROOT }),
];

test("the generated pages are up to date", { timeout: 60_000 }, () => {
  const script = path.join(ROOT, "scripts/docs/generate.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

describe.each(PAGES)("%s", (name) => {
  const text = prose(readFileSync(path.join(ROOT, name), "utf8"));

  test("has only links with existing targets", () => {
    const dead = linksOf(text).filter((link) => !leadsSomewhere(name, link));
    expect(dead).toEqual([]);
  });
});

/** Returns a page without its blocks. */
function prose(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```$/gms, "");
}

/** Returns the links of a page into the repository. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^\w+:/.test(link));
}

function leadsSomewhere(from: string, link: string): boolean {
  const [target = "", fragment] = link.split("#");
  const file = target === "" ? path.join(ROOT, from) : path.resolve(ROOT, path.dirname(from), target);
  if (!existsSync(file)) return false;
  return fragment === undefined || anchorsOf(file).has(fragment);
}

function anchorsOf(file: string): ReadonlySet<string> {
  const headings = prose(readFileSync(file, "utf8")).matchAll(/^#+ (.*)$/gm);
  return new Set([...headings].map(([, heading = ""]) => anchor(heading.replaceAll("`", ""))));
}

test("the gateway's page lists every command and option", () => {
  const text = readFileSync(path.join(ROOT, "gateway/README.md"), "utf8");
  for (const command of createProgram().commands) {
    expect(text).toContain(`| \`${command.name()}\` `);
    for (const { long } of command.options) expect(text).toContain(`\`${long}`);
  }
});

test("the generator's page lists every option", () => {
  const text = readFileSync(path.join(ROOT, "plugin/README.md"), "utf8");
  for (const option of OPTION_NAMES) expect(text).toContain(`| \`${option}\` `);
});

test("Markdown: an anchor equals GitHub's anchor of the heading", () => {
  expect(anchor("FieldRules.Location")).toBe("fieldruleslocation");
  expect(anchor("HTTP status to code")).toBe("http-status-to-code");
  expect(anchor("PATH_VALUE_INVALID")).toBe("path_value_invalid");
});

test("Markdown: a table cell is one line, and an escaped vertical bar does not end it", () => {
  expect(table(["a"], [["x\n| y"]])).toBe("| a |\n| --- |\n| x \\| y |");
});

test("Markdown: code may contain a backtick", () => {
  expect(code("a")).toBe("`a`");
  expect(code("a`b")).toBe("`` a`b ``");
});

test("Markdown: blocks of a page are separated by one empty line", () => {
  expect(page("# A\n", "\ntext", "")).toBe("# A\n\ntext\n");
});
