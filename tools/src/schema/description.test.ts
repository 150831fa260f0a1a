import { expect, test } from "vitest";
import { unwrapped } from "./description.ts";

test.each([
  ["one line", "one line"],
  ["Two lines\nof a sentence.\nAnd another.", "Two lines of a sentence. And another."],
  ["One.\n\nTwo,\nthree.", "One.\n\nTwo, three."],
  ["List:\n- a\n- b goes\non\n1. c", "List:\n- a\n- b goes on\n1. c"],
  ["Code:\n\n    f(\n      1);\nrest", "Code:\n\n    f(\n      1);\nrest"],
  ["```\na\nb\n```\nc\nd", "```\na\nb\n```\nc d"],
  ["| a |\n|---|\n| b |", "| a |\n|---|\n| b |"],
  ["", ""],
])("line ends that only keep lines short are taken out: %j", (text, expected) => {
  expect(unwrapped(text)).toBe(expected);
});
