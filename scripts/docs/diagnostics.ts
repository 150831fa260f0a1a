/** Prints the page of the generator's problems: what they mean, and what the generator says of an example. */
import { readFileSync } from "node:fs";
import { PROBLEM_CASES, type ProblemCase } from "../../test/plugin/problem-cases.ts";
import { DIAGNOSTICS, type Diagnostic } from "./diagnostics-table.ts";
import { anchor, page } from "./markdown.ts";

const HEAD = new URL("diagnostics-head.md", import.meta.url);

/**
 * The page `docs/diagnostics.md`.
 *
 * @throws Error naming a problem that has no example
 */
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
  const { language, source, problem } =
    config === undefined ? exampleOf(id) : { language: "yaml", ...config };
  return [
    `### ${id}`,
    meaning,
    fence(language, source),
    fence("text", problem),
    `Remedy: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`,
  ];
}

function exampleOf(id: string): { language: string; source: string; problem: string } {
  const hasCode = (line: string) => line.split(": ")[1] === id;
  const found: ProblemCase | undefined = PROBLEM_CASES.find(({ problems }) => problems.some(hasCode));
  const problem = found?.problems.find(hasCode);
  if (found === undefined || problem === undefined) {
    throw new Error(`problem ${id}: expected an example in test/plugin/problem-cases.ts, got none`);
  }
  return { language: "proto", source: tidy(found.source), problem: `case.proto:${problem}` };
}

/** Lines stay where they are, since positions count them; only blanks at their ends go. */
function tidy(source: string): string {
  return source.replaceAll(/[ \t]+$/gm, "");
}

function fence(language: string, source: string): string {
  return `\`\`\`${language}\n${source.trimEnd()}\n\`\`\``;
}
