import fc from "fast-check";
import { expect, test } from "vitest";
import type { PathTemplate, PatternSegment, Segment } from "../model/path-template.ts";
import { templateText } from "../print/template.ts";
import { PathSyntaxError, parsePathTemplate } from "./path-template.ts";

const literal = (text: string): Segment => ({ kind: "literal", text });
const variable = (fieldPath: string, ...patterns: string[]): Segment => ({
  kind: "variable",
  fieldPath,
  segments: (patterns.length === 0 ? ["*"] : patterns).map((text) =>
    text === "*" || text === "**" ? { kind: "wildcard", deep: text === "**" } : { kind: "literal", text },
  ),
});

test.each<[string, Segment[], string]>([
  ["/a", [literal("a")], ""],
  ["/v1/a/b", [literal("v1"), literal("a"), literal("b")], ""],
  ["/{name}", [variable("name")], ""],
  ["/{a_1.B.c}/x", [variable("a_1.B.c"), literal("x")], ""],
  ["/{name=*}", [variable("name")], ""],
  ["/{name=**}", [variable("name", "**")], ""],
  ["/v1/{name=shelves/*/books/*}", [literal("v1"), variable("name", "shelves", "*", "books", "*")], ""],
  ["/{name=a/**}:cancel", [variable("name", "a", "**")], "cancel"],
  ["/a:verb", [literal("a")], "verb"],
  ["/a/{b}.json", [literal("a"), { ...variable("b"), after: ".json" } as Segment], ""],
  ["/A('{b=*}'):v", [{ ...variable("b"), before: "A('", after: "')" } as Segment], "v"],
  [
    "/*/**",
    [
      { kind: "wildcard", deep: false },
      { kind: "wildcard", deep: true },
    ],
    "",
  ],
  ["/a%20b/~-._!$&'()+,;@", [literal("a%20b"), literal("~-._!$&'()+,;@")], ""],
  ["/...", [literal("...")], ""],
  ["/", [literal("")], ""],
  ["/a/", [literal("a"), literal("")], ""],
  ["/{b}/", [variable("b"), literal("")], ""],
])("parsePathTemplate parses %s", (text, segments, verb) => {
  expect(parsePathTemplate(text)).toEqual({ segments, verb });
});

test.each([
  ["", 0, "a path must start with `/`"],
  ["a", 0, "a path must start with `/`"],
  ["//a", 1, "expected a segment"],
  ["/a//b", 3, "expected a segment"],
  ["/a?b=c", 2, "`?` is not expected here"],
  ["/a#b", 2, "`#` is not expected here"],
  ["/a b", 2, "` ` is not expected here"],
  ["/a:b/c", 4, "`/` is not expected here"],
  ["/a:", 3, "expected a verb after `:`"],
  ["/{", 2, "expected the name of a field after `{`"],
  ["/{}", 2, "expected the name of a field after `{`"],
  ["/{1a}", 2, "expected the name of a field after `{`"],
  ["/{a.}", 3, "a variable must end with `}`"],
  ["/{a", 3, "a variable must end with `}`"],
  ["/{a=}", 4, "expected a segment"],
  ["/{a={b}}", 4, "expected a segment"],
  ["/{a}{b}", 4, "`{` is not expected here"],
  ["/{a}b{c}", 5, "`{` is not expected here"],
  ["/{a=b/*}.json", 1, "a variable with text around it can only be one segment, `*`"],
  ["/x{a=**}", 2, "a variable with text around it can only be one segment, `*`"],
  ["/}", 1, "expected a segment"],
  ["/..", 3, "`..` cannot be a segment: it leads elsewhere"],
  ["/./a", 2, "`.` cannot be a segment: it leads elsewhere"],
  ["/%2e%2E", 7, "`%2e%2E` cannot be a segment: it leads elsewhere"],
  ["/.%2e", 5, "`.%2e` cannot be a segment: it leads elsewhere"],
  ["/%2", 1, "expected a segment"],
  ["/%zz", 1, "expected a segment"],
  ["/é", 1, "expected a segment"],
  ["/a\\b", 2, "`\\` is not expected here"],
  ["/a`b", 2, "``` is not expected here"],
  ['/a"b', 2, '`"` is not expected here'],
  ["/***", 3, "`*` is not expected here"],
  ["/{a=**/b/**}", 11, "a variable can have one `**`"],
  ["/{a=**/**}", 9, "a variable can have one `**`"],
])("parsePathTemplate rejects %j at offset %i", (text, offset, message) => {
  let thrown: unknown;
  try {
    parsePathTemplate(text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(PathSyntaxError);
  expect(thrown).toMatchObject({ offset, message });
});

test("property: parsePathTemplate parses printed templates", () => {
  const text = fc
    .stringMatching(/^(?:[A-Za-z0-9\-_~!$&'()+,;@]|%4[0-9A-F]){1,6}$/)
    .filter((part) => part !== "." && part !== "..");
  const patternSegment = fc.oneof(
    text.map((part) => ({ kind: "literal", text: part }) as const),
    fc.constant({ kind: "wildcard", deep: false } as const),
  );
  const DEEP = { kind: "wildcard", deep: true } as const;
  const segment: fc.Arbitrary<Segment> = fc.oneof(
    patternSegment,
    fc.record({
      kind: fc.constant("variable" as const),
      fieldPath: fc.stringMatching(/^[a-z_][a-z0-9_]{0,5}(\.[a-z]{1,3}){0,2}$/),
      segments: fc
        .tuple(fc.array<PatternSegment>(patternSegment, { minLength: 1, maxLength: 3 }), fc.option(fc.nat(3)))
        .map(([parts, at]) => (at === null ? parts : parts.toSpliced(at, 0, DEEP))),
    }),
  );
  const template: fc.Arbitrary<PathTemplate> = fc.record({
    segments: fc.array(segment, { minLength: 1, maxLength: 4 }),
    verb: fc.oneof(fc.constant(""), text),
  });
  fc.assert(
    fc.property(template, (value) => {
      expect(parsePathTemplate(templateText(value))).toEqual(value);
    }),
  );
});

test("property: parsePathTemplate returns a template or an error with an offset for any string", () => {
  const text = fc.string({ unit: fc.constantFrom(..."/{}*:=.%2ea é?"), maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (value) => {
      try {
        const { segments } = parsePathTemplate(value);
        expect(segments.length).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof PathSyntaxError)) throw error;
        expect(error.offset).toBeGreaterThanOrEqual(0);
        expect(error.offset).toBeLessThanOrEqual(value.length);
      }
    }),
    { numRuns: 1_000 },
  );
});
