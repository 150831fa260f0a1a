import { expect, test } from "vitest";
import type { ImportExtension, ImportOptions } from "../protocol/options.ts";
import { SourceFile } from "./source-file.ts";

function ending(importExtension: ImportExtension): ImportOptions {
  return { importExtension, mapImports: [], rewriteImports: [] };
}

function text(file: SourceFile): string {
  return file.toString(["// head"], ["// after"]);
}

test("imports are sorted, packages first, and types are imported as types", () => {
  const file = new SourceFile("a/b/x_rest.ts", ending("ts"));
  file.type("Zed", "./x_pb.ts");
  file.value("make", "pkg/b");
  file.type("Kind", "pkg/b");
  file.value("x", "pkg/a");
  file.add("code();");
  expect(text(file)).toBe(
    [
      "// head",
      "",
      'import { x } from "pkg/a";',
      'import { type Kind, make } from "pkg/b";',
      'import type { Zed } from "./x_pb.ts";',
      "// after",
      "code();",
      "",
    ].join("\n"),
  );
});

test("a name is imported once, as a value if any use needs a value", () => {
  const file = new SourceFile("x.ts", ending("ts"));
  expect([file.type("A", "p"), file.value("A", "p"), file.type("A", "p")]).toEqual(["A", "A", "A"]);
  expect(text(file)).toContain('import { A } from "p";');
});

test("an import is renamed if another import, a claimed name or a reserved word has its name", () => {
  const file = new SourceFile("x.ts", ending("ts"));
  expect(file.claim("A")).toBe("A");
  expect(file.value("A", "p")).toBe("A$");
  expect(file.value("A", "q")).toBe("A$$");
  expect(file.claim("A")).toBe("A$$$");
  expect(file.type("String", "./x_pb.ts")).toBe("String$");
  expect(file.type("Set", "./x_pb.ts")).toBe("Set$");
  expect(text(file)).toContain('import { A as A$ } from "p";\nimport { A as A$$ } from "q";');
  expect(text(file)).toContain('import type { Set as Set$, String as String$ } from "./x_pb.ts";');
});

test("an import is broken into several lines if it does not fit on one", () => {
  const file = new SourceFile("x.ts", ending("ts"));
  const names = Array.from({ length: 12 }, (_, index) => `aRatherLongName${index + 10}`);
  for (const name of names) file.value(name, "p");
  expect(text(file)).toContain(`import {\n${names.map((name) => `  ${name},\n`).join("")}} from "p";`);
});

test.each([
  ["x_rest.ts", "x_pb", "./x_pb"],
  ["a/x_rest.ts", "a/y_pb", "./y_pb"],
  ["a/x_rest.ts", "b/y_pb", "../b/y_pb"],
  ["a/b/x_rest.ts", "a/y_pb", "../y_pb"],
  ["a/b/x_rest.ts", "y_pb", "../../y_pb"],
  ["x_rest.ts", "a/b/y_pb", "./a/b/y_pb"],
  ["a/b/x_rest.ts", "a/b/c/y_pb", "./c/y_pb"],
  ["a/b/x_rest.ts", "a/b_pb", "../b_pb"],
])("a file at %s imports the module %s as %s", (path, target, specifier) => {
  expect(new SourceFile(path, ending("none")).relative(target)).toBe(specifier);
  expect(new SourceFile(path, ending("js")).relative(target)).toBe(`${specifier}.js`);
});

test("isEmpty is true until a line is added, regardless of imports", () => {
  const file = new SourceFile("x.ts", ending("ts"));
  file.value("a", "p");
  expect(file.isEmpty).toBe(true);
  file.add("x");
  expect(file.isEmpty).toBe(false);
});
