import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { foreignImports, importViolations, secondLoads, upwardImports } from "../../scripts/import-rules.ts";
import { LAYERS } from "../../scripts/layers.ts";

const architecture = readFileSync("docs/architecture.md", "utf8");
const layered = Object.entries(LAYERS).filter(([, layers]) => layers.length > 0);

test("no import in the repository breaks a rule", () => {
  expect(importViolations(".")).toEqual([]);
});

test.each(layered)("an upward import in %s/ is reported, but a downward import is not", (name, layers) => {
  const [top = "", bottom = ""] = [layers[0], layers.at(-1)];
  const up = { file: fileIn(name, bottom), target: specifier(bottom, top) };
  const down = { file: fileIn(name, top), target: specifier(top, bottom) };
  expect(upwardImports(name, [down, up])).toEqual([
    `${up.file} imports ${up.target}, which goes up: ${top} is above ${bottom} in the layers of ${name}/`,
  ]);
});

test.each(layered)("a file in an unlisted folder of %s/ is reported", (name) => {
  const file = `${name}/src/unheard-of/file.ts`;
  expect(upwardImports(name, [{ file, target: "./other.ts" }])).toEqual([
    `${file}: unheard-of/ has no place in the layers of ${name}/; give it one in scripts/layers.ts`,
  ]);
});

test("a dynamically loaded package is loaded in one place, and other files import only its types", () => {
  const target = "connect-rest-authorization";
  const file = "gateway/src/server.ts";
  const closed = `${file} imports ${target}, which is closed to gateway/`;
  expect(foreignImports("gateway", [{ file, target, kind: "type" }])).toEqual([]);
  expect(foreignImports("gateway", [{ file, target, kind: "dynamic" }])).toEqual([]);
  expect(foreignImports("gateway", [{ file, target }])).toEqual([closed]);
  const elsewhere = { file: "runtime/src/rest.ts", target, kind: "type" } as const;
  expect(foreignImports("runtime", [elsewhere])).toEqual([
    `runtime/src/rest.ts imports ${target}, which is closed to runtime/`,
  ]);
  const load = { file, target, kind: "dynamic" } as const;
  expect(secondLoads("gateway", [load])).toEqual([]);
  expect(secondLoads("gateway", [load, load])).toEqual([
    `${file} loads ${target} as well; gateway/ loads it in one place`,
  ]);
});

test.each(layered)("docs/architecture.md shows the layers of %s/ in order", (name, layers) => {
  expect(layersShown(name)).toEqual(layers);
});

function fileIn(name: string, layer: string): string {
  return `${name}/src/${layer.endsWith("/") ? `${layer}file.ts` : layer}`;
}

function specifier(from: string, to: string): string {
  return `${from.endsWith("/") ? "../" : "./"}${to.endsWith("/") ? `${to}other.ts` : to}`;
}

/** Returns the names in the first column of the table whose header names the package's `src/`. */
function layersShown(name: string): string[] {
  const lines = architecture.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| \`${name}/src/\``));
  if (head < 0) return [];
  const end = lines.findIndex((line, index) => index > head && !line.startsWith("|"));
  return lines
    .slice(head + 2, end)
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""));
}
