/** Prints the reference of diagnostics: the meaning of each diagnostic, with an example and the output. */
import { readFileSync } from "node:fs";
import { PROBLEM_CASES, type ProblemCase } from "../../test/plugin/problem-cases.ts";
import { DIAGNOSTICS } from "./diagnostics/all.ts";
import type { Diagnostic } from "./diagnostics/diagnostic.ts";
import { anchor, page } from "./markdown.ts";

const HEAD = new URL("diagnostics-head.md", import.meta.url);

/** Returns the page `docs/diagnostics.md`. A problem without a test case has no example. */
export function diagnosticsPage(): string {
  const groups = Object.entries(DIAGNOSTICS);
  return page(
    readFileSync(HEAD, "utf8"),
    groups.map(([name, codes]) => `- ${link(name)}: ${Object.keys(codes).map(link).join(", ")}`).join("\n"),
    ...groups.flatMap(([name, codes]) => [
      `## ${name}`,
      ...Object.entries(codes).flatMap(([id, diagnostic]) => section(id, diagnostic)),
    ]),
  );
}

function link(heading: string): string {
  return `[${heading}](#${anchor(heading)})`;
}

function section(id: string, { meaning, remedy, config }: Diagnostic): string[] {
  const example = config === undefined ? exampleOf(id) : { language: "yaml", ...config };
  return [
    `### ${id}`,
    meaning,
    ...(example === undefined
      ? []
      : [fence(example.language, example.source), fence("text", example.problem)]),
    `Remedy: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`,
  ];
}

interface Example {
  readonly language: string;
  readonly source: string;
  readonly problem: string;
}

function exampleOf(id: string): Example | undefined {
  const hasCode = (line: string) => line.split(": ")[1] === id;
  const found: ProblemCase | undefined = PROBLEM_CASES.find(({ problems }) => problems.some(hasCode));
  const problem = found?.problems.find(hasCode);
  if (found === undefined || problem === undefined) return undefined;
  return { language: "proto", source: tidy(found.source), problem: `case.proto:${problem}` };
}

/** Removes trailing blanks. Line numbers stay the same, since positions refer to them. */
function tidy(source: string): string {
  return source.replaceAll(/[ \t]+$/gm, "");
}

function fence(language: string, source: string): string {
  return `\`\`\`${language}\n${source.trimEnd()}\n\`\`\``;
}
