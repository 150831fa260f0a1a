/** Compares the generated code of sources with and without a rule. */
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

/** A source with a rule, and the same source without the rule. */
export interface RuleCase {
  readonly name: string;
  readonly source: string;
  readonly without: string;
}

/**
 * Returns the case of a rule.
 *
 * @param rule the rule with the rules that it needs; the part in `«»` is the one to compare with and without
 * @param source returns the description with some rules
 */
export function caseOfRule(name: string, rule: string, source: (rule: string) => string): RuleCase {
  const without = rule.replace(/,? *«.*?»/, "");
  return { name, source: source(rule.replace(/[«»]/g, "")), without: source(without) };
}

/**
 * Returns the names of the cases in which the rule neither changes the generated code nor is reported. Omits
 * cases whose source is invalid without the rule.
 */
export function silentCases(cases: readonly RuleCase[]): string[] {
  const sources = [...new Set(cases.flatMap(({ source, without }) => [source, without]))];
  const outputs = outputsOf(sources);
  return cases
    .filter(({ source, without }) => {
      const before = outputs.get(without);
      return before !== undefined && outputs.get(source) === before;
    })
    .map(({ name }) => name);
}

/** Returns the generated code of each source; undefined if the generator reports the source. */
function outputsOf(sources: readonly string[]): ReadonlyMap<string, string | undefined> {
  const names = sources.map((_, index) => `c${index}`);
  const files = sources.map((source, index) => [
    `${names[index]}.proto`,
    HEAD.replace("test.v1", names[index] ?? "") + source,
  ]);
  const request = compileRequest(Object.fromEntries(files));
  const { error } = runGenerator(request);
  const reported = new Set(error.split("\n").map((line) => line.slice(0, line.indexOf(":"))));
  const accepted = names.filter((name) => !reported.has(`${name}.proto`));
  const made = runGenerator(request, { fileToGenerate: accepted.map((name) => `${name}.proto`) });
  if (made.error !== "") throw new Error(made.error);
  return new Map(
    sources.map((source, index) => {
      const name = names[index] ?? "";
      const text = made.files[`${name}_rest.ts`];
      return [source, text?.replaceAll(new RegExp(`\\b${name}(?=\\b|_)`, "g"), "c")];
    }),
  );
}
