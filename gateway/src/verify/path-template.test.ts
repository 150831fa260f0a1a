import fc from "fast-check";
import { expect, test } from "vitest";
import { isNarrower, parseTemplate } from "./path-template.ts";

test.each([
  ["/v1/books/{id}", "/v1/books/a%2Fb", { id: "a%2Fb" }],
  ["/v1/books/{id}", "/v1/books/a/", { id: "a" }],
  ["/v1/books/{id}", "/v1/books/a/b", undefined],
  ["/v1/{name=shelves/*/books/*}", "/v1/shelves/1/books/2", { name: "shelves/1/books/2" }],
  ["/v1/{name=files/**}:copy", "/v1/files/a/b:copy", { name: "files/a/b" }],
  ["/compare/{base}...{head}.diff", "/compare/a...b.diff", { base: "a", head: "b" }],
  ["/a.b/(c)", "/aXb/(c)", undefined],
])("%s matches %s as %j", (template, path, variables) => {
  const found = parseTemplate(template).match(path);
  expect(found && Object.fromEntries(found)).toEqual(variables);
});

test("of two templates, at most one is narrower, and every path of the narrower one is a path of the other", () => {
  const segment = fc.constantFrom("{a}", "{b}", "x", "y");
  const template = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map((all) => parseTemplate(`/${all.join("/")}`));
  fc.assert(
    fc.property(template, template, (one, other) => {
      expect(isNarrower(one, other) && isNarrower(other, one)).toBe(false);
      if (isNarrower(one, other)) expect(other.match(one.shape.replaceAll("{}", "x"))).toBeDefined();
    }),
  );
});
