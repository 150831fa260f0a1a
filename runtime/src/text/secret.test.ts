import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

const hunter = new Secret("hunter2");

test("a secret is never printed", () => {
  const holder = { deep: { secret: hunter }, list: [hunter] };
  const printed = [
    String(hunter),
    `${hunter}`,
    `x${hunter as unknown as string}`,
    JSON.stringify(holder),
    inspect(hunter),
    inspect(holder, { depth: 9, showHidden: true }),
    format("%s %o %j %O", hunter, hunter, hunter, hunter),
    Object.values(hunter).join(),
    JSON.stringify(Object.getOwnPropertyDescriptors(hunter)),
    new Error("e", { cause: hunter }).stack,
    inspect(new Error("e", { cause: hunter })),
  ].join("\n");
  expect(printed).not.toContain("hunter2");
  expect(inspect(holder)).toBe("{ deep: { secret: [secret] }, list: [ [secret] ] }");
});

test("reveal returns the value, and wrapping a secret again does not change it", () => {
  expect(hunter.reveal()).toBe("hunter2");
  expect(Secret.of(hunter)).toBe(hunter);
  expect(Secret.of("x").reveal()).toBe("x");
});
