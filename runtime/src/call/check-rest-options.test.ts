import fc from "fast-check";
import { expect, test } from "vitest";
import { createRest } from "../rest.ts";
import { thingService } from "../testing/thing-service.ts";
import type { RestOptions } from "./options.ts";

const VALID: RestOptions = {
  adapters: [thingService()],
  upstreams: { things: { baseUrl: "https://a.test" } },
};

/** Returns the error for options that bypass static types. */
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
    "a string in place of an upstream",
    { ...VALID, upstreams: { things: "https://a.test" } },
    "upstream things: option (all): expected an object, got https://a.test",
  ],
  [
    "a listener that is not a function",
    { ...VALID, onDifference: true },
    "option onDifference: expected a function, got boolean",
  ],
  [
    "a misspelled option",
    { ...VALID, onDiference: () => undefined },
    "option onDiference: expected `onDifference`, got an unknown name",
  ],
  [
    "a misspelled option of an upstream",
    { ...VALID, upstreams: { things: { baseURL: "https://a.test" } } },
    "upstream things: option baseURL: expected `baseUrl`, got an unknown name",
  ],
  [
    "a misspelled option of a group",
    { ...VALID, upstreams: { things: { baseUrl: "https://a.test", retry: { attempt: 1 } } } },
    "upstream things: option retry.attempt: expected `attempts`, got an unknown name",
  ],
])("invalid options are rejected when they are used: %s", (_, options, problem) => {
  expect(problemOf(options)).toContain(problem);
});

/** Names that match methods of the adapter. The test misspells each of them by one character. */
const NAMES = [
  "test.v1.ThingService/GetThing",
  "test.v1.ThingService",
  "test.v1.*",
  "test.v1.ThingService/Get*",
];

function misspellingsOf(name: string): string[] {
  const indices = Array.from(name.slice(0, -1), (_, index) => index);
  const changed = (index: number, text: string, count = 1) =>
    name.slice(0, index) + text + name.slice(index + count);
  return indices.flatMap((index) => [
    changed(index, ""),
    changed(index, "x"),
    changed(index, "*"),
    changed(index, "x", 0),
    changed(index, `${name[index + 1]}${name[index]}`, 2),
    changed(index, (name[index] ?? "").toUpperCase()),
  ]);
}

/** Reports whether a name matches a method of the adapter, e.g. if it ends in `*`. */
function isName(name: string): boolean {
  const { service, methods } = thingService();
  const paths = Object.values(methods).map(({ method }) => `${service.typeName}/${method.name}`);
  const isBeginning = (path: string) => name.endsWith("*") && path.startsWith(name.slice(0, -1));
  return name === service.typeName || paths.some((path) => path === name || isBeginning(path));
}

test.each(NAMES)(
  "the error for a misspelling of %s in `differences.methods` names the misspelling, and the correct name is accepted",
  (name) => {
    const problemWith = (pattern: string) =>
      problemOf({ ...VALID, differences: { methods: { [pattern]: { lost: "fail" } } } });
    expect(problemWith(name)).toBe("");
    const misspelt = misspellingsOf(name).filter((each) => !isName(each));
    expect(misspelt.length).toBeGreaterThan(name.length);
    for (const each of misspelt) {
      expect(problemWith(each)).toContain(`option differences.methods.${each}: expected \`test.v1.`);
    }
  },
);

test.each(["ignore", "log"] as const)(
  "options with `strict` and `differences.lost: %s` are rejected",
  (lost) => {
    expect(problemOf({ ...VALID, strict: true, differences: { lost } })).toContain(
      `option differences.lost: expected \`fail\`, since \`strict\` is set; remove one of them, got \`${lost}\``,
    );
    expect(problemOf({ ...VALID, strict: false, differences: { lost } })).toBe("");
  },
);

test.each([null, 7, "fail"])("levels of a method must be an object, not %s", (levels) => {
  expect(problemOf({ ...VALID, differences: { methods: { "test.v1.*": levels } } })).toContain(
    "differences.methods",
  );
  expect(problemOf({ ...VALID, differences: { methods: levels } })).toContain("differences.methods");
});

test("any value of any option is accepted, or rejected with an error that names the option", () => {
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
