import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOURCES = "plugin/src";

test.each(["check", "print"])("%s/ reads models, but neither proto options nor parsers", (folder) => {
  const readers = readdirSync(join(SOURCES, folder))
    .filter((name) => !name.endsWith(".test.ts"))
    .filter((name) => {
      const text = readFileSync(join(SOURCES, folder, name), "utf8");
      return text.includes('from "../parse/') || /\b(?:get|has)(?:Option|Extension)\b/.test(text);
    });
  expect(readers).toEqual([]);
});
