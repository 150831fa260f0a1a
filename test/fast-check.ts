import type fastCheck from "fast-check";
import { vi } from "vitest";
import { fewDraws, SEED } from "./draws.ts";

// Runs when a test imports fast-check, because most tests do not.
vi.mock("fast-check", async (importOriginal) => {
  const { default: original } = await importOriginal<{ readonly default: typeof fastCheck }>();
  if (SEED !== undefined) original.configureGlobal({ seed: SEED });
  if (process.env.TEST_MODE !== "short") return { default: original };
  const assert = <T>(property: fastCheck.IRawProperty<T>, parameters: fastCheck.Parameters<T> = {}) => {
    const { numRuns } = parameters;
    const few = numRuns === undefined ? parameters : { ...parameters, numRuns: fewDraws(numRuns) };
    return original.assert(property, few);
  };
  return { default: { ...original, assert } };
});
