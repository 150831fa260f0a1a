import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const page = readFileSync(path.join(ROOT, "docs/recipes.md"), "utf8");
const folder = path.join(ROOT, "test/protos/world/v1");
const protos = readdirSync(folder).map((name) => ({
  name,
  text: undented(readFileSync(path.join(folder, name), "utf8")),
}));

/** Removes indentation, because the blocks of the page are indented less. */
function undented(text: string): string {
  return `\n${text.replaceAll(/^ +/gm, "")}`;
}

const blocks = blocksOf(page).map(({ language, text }) => ({ language, text: undented(text) }));

test("every recipe belongs to an API that other tests compile and call", () => {
  expect(blocks.length).toBeGreaterThan(40);
  const strangers = blocks.filter(({ text }) => !protos.some((proto) => proto.text.includes(text)));
  expect(strangers).toEqual([]);
});

test("every API in test/protos/world has a recipe", () => {
  const idle = protos.filter((proto) => !blocks.some(({ text }) => proto.text.includes(text)));
  expect(idle.map(({ name }) => name)).toEqual([]);
});
