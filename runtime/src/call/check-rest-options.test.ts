import fc from "fast-check";
import { expect, test } from "vitest";
import { createRest } from "../rest.ts";
import { thingService } from "../testing/thing-service.ts";
import type { RestOptions } from "./options.ts";

const VALID: RestOptions = {
  adapters: [thingService()],
  upstreams: { things: { baseUrl: "https://a.test" } },
};

/** The text of the error for options that no compiler has seen. */
function problemOf(options: unknown): string {
  try {
    void createRest(options as RestOptions).close();
    return "";
  } catch (error) {
    return String(error);
  }
}

test.each<[name: string, options: unknown, problem: string]>([
  ["no options", undefined, "option (all): expected an object, got undefined"],
  ["no adapters", { upstreams: {} }, "option adapters: expected an array, got undefined"],
  ["one adapter", { ...VALID, adapters: thingService() }, "option adapters: expected an array, got object"],
  [
    "the description of a service",
    { ...VALID, adapters: [thingService().service] },
    "option adapters[0]: expected an adapter, e.g. `ShelfServiceRest` of `shelf_rest.ts`, got the description of ",
  ],
  ["a module", { ...VALID, adapters: [await import("./options.ts")] }, "got a module"],
  ["nothing in place of an adapter", { ...VALID, adapters: [undefined] }, "adapters[0]: expected an adapter"],
  ["no upstreams", { adapters: [] }, "option upstreams: expected an object, got undefined"],
  [
    "a text in place of an upstream",
    { ...VALID, upstreams: { things: "https://a.test" } },
    "upstream things: option (all): expected an object, got https://a.test",
  ],
  [
    "a listener that is none",
    { ...VALID, onDifference: true },
    "option onDifference: expected a function, got boolean",
  ],
  [
    "a misspelt option",
    { ...VALID, onDiference: () => undefined },
    "option onDiference: expected `onDifference`, got an unknown name",
  ],
  [
    "a misspelt option of an upstream",
    { ...VALID, upstreams: { things: { baseURL: "https://a.test" } } },
    "upstream things: option baseURL: expected `baseUrl`, got an unknown name",
  ],
  [
    "a misspelt option of a group",
    { ...VALID, upstreams: { things: { baseUrl: "https://a.test", retry: { attempt: 1 } } } },
    "upstream things: option retry.attempt: expected `attempts`, got an unknown name",
  ],
])("options are checked when they are used: %s", (_, options, problem) => {
  expect(problemOf(options)).toContain(problem);
});

test("any value in the place of any option is taken, or is an error that names the option", () => {
  const names = fc.constantFrom(
    ...([
      "adapters",
      "upstreams",
      "types",
      "differences",
      "strict",
      "timeoutMs",
      "scanner",
      "interceptors",
    ] as const),
    ...(["onDifference", "onRequest", "onCall", "onBreaker", "callerOf", "fetch", "dispatcher"] as const),
  );
  fc.assert(
    fc.property(names, fc.oneof(fc.anything(), fc.constant(null)), (name, value) => {
      const problem = problemOf({ ...VALID, [name]: value });
      expect(problem === "" || problem.includes(name) || problem.includes("upstream")).toBe(true);
      expect(problem).not.toMatch(/undefined \(reading|is not a function|is not iterable/);
    }),
  );
});
