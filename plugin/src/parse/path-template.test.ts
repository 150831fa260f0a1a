import fc from "fast-check";
import { expect, test } from "vitest";
import type { PathTemplate, PatternSegment, Segment } from "../model/path-template.ts";
import { templateText } from "../print/template.ts";
import { PathSyntaxError, parsePathTemplate } from "./path-template.ts";

const literal = (text: string): Segment => ({ kind: "literal", text });
const variable = (fieldPath: string, ...patterns: string[]): Segment => ({
  kind: "variables",
  variables: [
    {
      fieldPath,
      segments: (patterns.length === 0 ? ["*"] : patterns).map((text) =>
        text === "*" || text === "**" ? { kind: "wildcard", deep: text === "**" } : { kind: "literal", text },
      ),
    },
  ],
  texts: ["", ""],
});
const ANY = { kind: "wildcard", deep: false } as const;
const within = (texts: string[], ...fieldPaths: string[]): Segment => ({
  kind: "variables",
  variables: fieldPaths.map((fieldPath) => ({ fieldPath, segments: [ANY] })),
  texts,
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
  ["/a/{b}.json", [literal("a"), within(["", ".json"], "b")], ""],
  ["/A('{b=*}'):v", [within(["A('", "')"], "b")], "v"],
  ["/c/{a}...{b.c}", [literal("c"), within(["", "...", ""], "a", "b.c")], ""],
  ["/x{a}%2C{b}-{c}.d:v", [within(["x", "%2C", "-", ".d"], "a", "b", "c")], "v"],
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
  ["/{a}{b}", 4, "expected text between two variables"],
  ["/{a}-{b}{c}", 8, "expected text between two variables"],
  ["/{a}-{b=c/*}", 5, "a variable with text around it can only be one segment, `*`"],
  ["/{a=**}-{b}", 1, "a variable with text around it can only be one segment, `*`"],
  ["/{a}%2F..%2F{b}", 15, "the text around the variable leads elsewhere"],
  ["/..%2f{a}", 9, "the text around the variable leads elsewhere"],
  ["/{a}%00", 7, "the text around the variable has an encoded control character"],
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
  const fieldPath = fc.stringMatching(/^[a-z_][a-z0-9_]{0,5}(\.[a-z]{1,3}){0,2}$/);
  const patternSegment = fc.oneof(
    text.map((part) => ({ kind: "literal", text: part }) as const),
    fc.constant(ANY),
  );
  const DEEP = { kind: "wildcard", deep: true } as const;
  const segment: fc.Arbitrary<Segment> = fc.oneof(
    patternSegment,
    fc.record({
      kind: fc.constant("variables" as const),
      variables: fc.tuple(
        fc.record({
          fieldPath,
          segments: fc
            .tuple(
              fc.array<PatternSegment>(patternSegment, { minLength: 1, maxLength: 3 }),
              fc.option(fc.nat(3)),
            )
            .map(([parts, at]) => (at === null ? parts : parts.toSpliced(at, 0, DEEP))),
        }),
      ),
      texts: fc.constant(["", ""]),
    }),
    fc
      .tuple(fc.array(fc.tuple(fieldPath, text), { minLength: 1, maxLength: 3 }), fc.option(text))
      .map(([parts, before]) => {
        const names = parts.map(([name]) => name);
        return within([before ?? "", ...parts.map(([, after]) => after)], ...names);
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
