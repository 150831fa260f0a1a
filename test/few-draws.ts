import type fastCheck from "fast-check";
import { vi } from "vitest";
import { fewDraws } from "./draws.ts";

vi.mock("fast-check", async (importOriginal) => {
  const { default: original } = await importOriginal<{ readonly default: typeof fastCheck }>();
  const assert = <T>(property: fastCheck.IRawProperty<T>, parameters: fastCheck.Parameters<T> = {}) => {
    const { numRuns } = parameters;
    const few = numRuns === undefined ? parameters : { ...parameters, numRuns: fewDraws(numRuns) };
    return original.assert(property, few);
  };
  return { default: { ...original, assert } };
});
