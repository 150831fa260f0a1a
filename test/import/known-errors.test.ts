import { expect, test } from "vitest";
import { KNOWN } from "../../import/src/plan/error-bodies.ts";
import { nameOf } from "../../import/src/plan/page.ts";
import { COMMON_BODIES } from "../../runtime/src/errors/common-bodies.ts";

/** The examples of error bodies that the runtime recognizes without a rule, with the names of their keys. */
const EXAMPLES = COMMON_BODIES.flatMap(({ name, examples }) => {
  const objects = examples.filter((example) => typeof example === "object" && !Array.isArray(example));
  return objects.map((example) => ({ name, keys: Object.keys(Object(example)).map(nameOf) }));
});

test.each(EXAMPLES)("the import recognizes the keys $keys of $name", ({ keys }) => {
  expect(keys.some((key) => KNOWN.has(key))).toBe(true);
});

test.each([...KNOWN])("the runtime recognizes an error body with the key %s", (known) => {
  expect(EXAMPLES.some(({ keys }) => keys.includes(known))).toBe(true);
});
