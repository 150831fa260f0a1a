import fc from "fast-check";
import { arbitraryValue } from "./arbitrary-values.ts";
import type { OpenApi, Operation } from "./document.ts";
import type { Echo } from "./echo.ts";
import { EchoedDocument } from "./echoed-document.ts";
import { printExact, type Value } from "./values.ts";

/** The problems that the values of a body cause. */
interface EchoResult {
  /** The smallest value with problems, and its problems. */
  readonly problems: readonly string[];
  /** The number of values that the validator accepted. */
  readonly valid: number;
}

/** Echoes generated values of a body that the validator accepts. */
async function checkValues(echoed: EchoedDocument, echo: Echo, numRuns: number): Promise<EchoResult> {
  let valid = 0;
  const values = arbitraryValue(echoed.document, echo.schema);
  const property = fc.asyncProperty(values, async (value) => {
    fc.pre(await echoed.isValid(echo, value));
    valid += 1;
    return (await problemsOf(echoed, echo, value)).length === 0;
  });
  const { failed, counterexample } = await fc.check(property, { numRuns, maxSkipsPerRun: 50 });
  if (!failed || counterexample === null) return { problems: [], valid };
  return { problems: await problemsOf(echoed, echo, counterexample[0]), valid };
}

/** Echoes a value. Each problem names the body and the value. */
async function problemsOf(echoed: EchoedDocument, echo: Echo, value: Value): Promise<readonly string[]> {
  const found = await echoed.problems(echo, value).catch((error: unknown) => [String(error)]);
  return found.map((problem) => `${echo.name}: ${problem}, in ${printExact(value).slice(0, 500)}`);
}

/** Echoes the valid examples and generated values of the bodies of operations. */
export async function checkAll(
  document: OpenApi,
  operations: readonly Operation[],
  runs: number,
): Promise<{ readonly problems: readonly string[]; readonly unchecked: readonly string[] }> {
  const echoed = await EchoedDocument.load(document, "echo", operations);
  const problems: string[] = [];
  const unchecked: string[] = [];
  for (const echo of echoed.echoes) {
    for (const { value } of echo.examples) {
      if (await echoed.isValid(echo, value)) problems.push(...(await problemsOf(echoed, echo, value)));
    }
    const found = await checkValues(echoed, echo, runs);
    problems.push(...found.problems);
    if (found.valid === 0) unchecked.push(echo.name);
  }
  echoed.remove();
  return { problems, unchecked };
}
