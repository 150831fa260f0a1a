import { expect, test } from "vitest";
import { restError } from "./rest-error.ts";
import { ERRORS, type ErrorEntry, type ErrorReason } from "./table.ts";

const entries = Object.entries(ERRORS) as Array<[ErrorReason, ErrorEntry]>;

test.each(entries)("the table entry %s states the problem, its cause, and its remedy", (reason, entry) => {
  expect(reason).toMatch(/^[A-Z][A-Z0-9_]+[A-Z0-9]$/);
  expect(entry.text).not.toMatch(/[.]$/);
  expect(entry.cause).toMatch(/[.]$/);
  expect(entry.remedy).toMatch(/[.]$/);
});

test.each(entries)("the text of table entry %s has no unfilled placeholder", (reason, entry) => {
  const names = [...entry.text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  const error = restError(reason, Object.fromEntries(names.map((name) => [name, `<${name}>`])));
  expect(error.rawMessage).not.toContain("undefined");
  for (const name of names) expect(error.rawMessage).toContain(`<${name}>`);
  expect(error.code).toBe(entry.code);
});
