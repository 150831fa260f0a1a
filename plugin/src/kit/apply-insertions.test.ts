import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CodeGeneratorResponseSchema, GeneratedCodeInfoSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyInsertions, type GeneratorOutput } from "./apply-insertions.ts";
import type { DialectName } from "./dialect.ts";
import { InsertionError, type InsertionErrorCode } from "./insertion-error.ts";

interface Entry {
  readonly name?: string;
  readonly insertionPoint?: string;
  readonly content?: string;
  readonly generatedCodeInfo?: { readonly annotation: { readonly begin: number; readonly end: number }[] };
}

function output(generator: string, ...file: Entry[]): GeneratorOutput {
  return { generator, response: create(CodeGeneratorResponseSchema, { file }) };
}

function apply(outputs: readonly GeneratorOutput[], dialect?: DialectName): Record<string, string> {
  const files = applyInsertions(outputs, dialect === undefined ? {} : { dialect });
  return Object.fromEntries(files.map(({ path, content }) => [path, new TextDecoder().decode(content)]));
}

function failure(...outputs: GeneratorOutput[]): [InsertionErrorCode, string] {
  try {
    applyInsertions(outputs);
  } catch (error) {
    if (error instanceof InsertionError) return [error.code, error.message];
    throw error;
  }
  throw new Error("expected an InsertionError");
}

const mark = (name: string) => `// @@protoc_insertion_point(${name})`;
const host = output("host", { name: "a.ts", content: `one\n  ${mark("p")}\ntwo\n` });

test("applyInsertions inserts text above the line with the marker, indented like the marker, and keeps the marker", () => {
  const added = output("guest", { name: "a.ts", insertionPoint: "p", content: "x\ny" });
  expect(apply([host, added, added])).toEqual({
    "a.ts": `one\n  x\n  y\n  x\n  y\n  ${mark("p")}\ntwo\n`,
  });
});

test("applyInsertions imitates protoc by default", () => {
  const files = [host, output("guest", { name: "a.ts", insertionPoint: "p", content: "x" })];
  expect(apply(files)).toEqual(apply(files, "protoc"));
  expect(apply(files)).not.toEqual(apply(files, "buf"));
});

test("applyInsertions returns files in the order of their first appearance", () => {
  const files = applyInsertions([output("g", { name: "b", content: "1" }, { name: "a", content: "2" })]);
  expect(files.map(({ path }) => path)).toEqual(["b", "a"]);
});

test.each<[string, GeneratorOutput, InsertionErrorCode, string]>([
  [
    "a file that no generator made",
    output("guest", { name: "b.ts", insertionPoint: "p", content: "x" }),
    "missing-file",
    "guest: nothing can be inserted into `b.ts`: no generator before this one, in the same run and with the same output directory, made it",
  ],
  [
    "an insertion point that the file does not have",
    output("guest", { name: "a.ts", insertionPoint: "q", content: "x" }),
    "missing-point",
    "guest: the file `a.ts` has no insertion point `q`; it has `p`",
  ],
  [
    "a second file with the same path",
    output("guest", { name: "a.ts", content: "x" }),
    "duplicate-file",
    "guest: the file `a.ts` is already generated",
  ],
  [
    "an insertion that names no file",
    output("guest", { insertionPoint: "p", content: "x" }),
    "nameless-insertion",
    "guest: the insertion at `p` does not name the file that it is for",
  ],
  [
    "a first chunk without a name",
    output("guest", { content: "x" }),
    "nameless-first-chunk",
    "guest: the first file of the response has no name, so there is none that it could continue",
  ],
  [
    "an absolute path",
    output("guest", { name: "/etc/x" }),
    "unsafe-path",
    "guest: the path `/etc/x` cannot be written: it is absolute; paths are relative to the output directory",
  ],
  [
    "a path with ..",
    output("guest", { name: "a/../../x" }),
    "unsafe-path",
    "guest: the path `a/../../x` cannot be written: it has the component `..`",
  ],
  [
    "a path with .",
    output("guest", { name: "./x" }),
    "unsafe-path",
    "guest: the path `./x` cannot be written: it has the component `.`",
  ],
  [
    "an empty component",
    output("guest", { name: "a//x" }),
    "unsafe-path",
    "guest: the path `a//x` cannot be written: it has an empty component",
  ],
  [
    "a backslash",
    output("guest", { name: "a\\x" }),
    "unsafe-path",
    "guest: the path `a\\x` cannot be written: it has a backslash; components are separated by `/`",
  ],
  [
    "a NUL character",
    output("guest", { name: "a\0x" }),
    "unsafe-path",
    "guest: the path `a\0x` cannot be written: it has a control character",
  ],
  [
    "malformed code info",
    output(
      "guest",
      { name: "a.ts.pb.meta", content: "nonsense" },
      { name: "a.ts", insertionPoint: "p", content: "x" },
    ),
    "code-info",
    "guest: `a.ts.pb.meta` is no encoded google.protobuf.GeneratedCodeInfo, so nothing can be merged into it",
  ],
  [
    "a response with an error",
    { generator: "guest", response: create(CodeGeneratorResponseSchema, { error: "a.proto:1:1: no" }) },
    "generator-failed",
    "guest: a.proto:1:1: no",
  ],
])("applyInsertions rejects %s, and names the generator", (_name, added, code, text) => {
  expect(failure(host, added)).toEqual([code, text]);
});

test("applyInsertions rejects a line that buf would lose, and names the generator", () => {
  const long = output("guest", { name: "a.ts", insertionPoint: "p", content: "x".repeat(65_536) });
  expect(() => apply([host, long], "buf")).toThrow(
    "guest: the insertion into `a.ts` has a line of 65536 bytes; the compiler takes at most 65535",
  );
});

test("applyInsertions rejects a missing insertion point, and lists existing points with non-ASCII names unescaped", () => {
  const many = Array.from({ length: 9 }, (_, index) => mark(`ü${index}`)).join("\n");
  const [, text] = failure(
    output("host", { name: "a.ts", content: many }),
    output("guest", { name: "a.ts", insertionPoint: "p" }),
  );
  expect(text).toBe(
    "guest: the file `a.ts` has no insertion point `p`; it has `ü0`, `ü1`, `ü2`, `ü3`, `ü4`, `ü5`, `ü6`, `ü7`, …",
  );
});

test("applyInsertions rejects a missing insertion point in a file without insertion points", () => {
  const [, text] = failure(
    output("host", { name: "a.ts" }),
    output("guest", { name: "a.ts", insertionPoint: "p" }),
  );
  expect(text).toBe("guest: the file `a.ts` has no insertion point `p`; it has none");
});

const line = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !/[\r\n]|@@/.test(text));
const lines = fc.array(line, { maxLength: 5 });
const indent = fc.stringMatching(/^[ \t]{0,4}$/);
const within = { numRuns: 300, interruptAfterTimeLimit: 2000 };

test("property: an insertion adds its lines with indentation, and changes no other lines", () => {
  fc.assert(
    fc.property(lines, lines, indent, lines, (before, after, space, added) => {
      const files = [
        output("host", { name: "a", content: [...before, space + mark("p"), ...after].join("\n") }),
        output("guest", {
          name: "a",
          insertionPoint: "p",
          content: added.map((text) => `${text}\n`).join(""),
        }),
      ];
      const expected = [...before, ...added.map((text) => space + text), space + mark("p"), ...after];
      expect(apply(files)).toEqual({ a: expected.join("\n") });
    }),
    within,
  );
});

test("property: insertions at one point keep their order, even if they come from several generators", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.nat(6), (texts, cut) => {
      const entry = (text: string) => ({ name: "a.ts", insertionPoint: "p", content: `${text}\n` });
      const split = [
        output("g1", ...texts.slice(0, cut).map(entry)),
        output("g2", ...texts.slice(cut).map(entry)),
      ];
      expect(apply([host, ...split])).toEqual(apply([host, output("g", ...texts.map(entry))]));
    }),
    within,
  );
});

test("property: chunks without a name continue the previous file", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), ([first = "", ...rest]) => {
      const chunks = output("g", { name: "a", content: first }, ...rest.map((content) => ({ content })));
      expect(apply([chunks])).toEqual({ a: [first, ...rest].join("") });
    }),
    within,
  );
});

test("property: each annotation still covers its word after insertions, even if words are not ASCII", () => {
  const words = fc.array(fc.stringMatching(/^[a-zäß🙂]{1,5}$/u), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(words, words, indent, fc.boolean(), (first, second, space, lineEach) => {
      const added = (texts: readonly string[]) => annotated(texts, lineEach ? "\n" : " ");
      const files = applyInsertions([
        output("host", { name: "a", content: `ü\n${space}${mark("p")}\n` }),
        output("g1", { name: "a", insertionPoint: "p", ...added(first) }),
        output("g2", { name: "a", insertionPoint: "p", ...added(second) }),
      ]);
      const [content, info] = files.map((file) => file.content);
      const { annotation } = fromBinary(GeneratedCodeInfoSchema, info ?? new Uint8Array());
      const found = annotation.map(({ begin, end }) => new TextDecoder().decode(content?.slice(begin, end)));
      expect(found).toEqual([...first, ...second]);
    }),
    within,
  );
});

test("annotations after the insertion move, and annotations before it stay", () => {
  const content = `one\n${mark("p")}\n`;
  const annotation = [
    { begin: 0, end: 3 },
    { begin: 4, end: 6 },
  ];
  const meta = toBinary(GeneratedCodeInfoSchema, create(GeneratedCodeInfoSchema, { annotation }));
  const files = applyInsertions([
    output("host", { name: "a", content }, { name: "a.pb.meta", content: new TextDecoder().decode(meta) }),
    output("g", { name: "a", insertionPoint: "p", content: "new\n" }),
  ]);
  const info = fromBinary(GeneratedCodeInfoSchema, files[1]?.content ?? new Uint8Array());
  expect(info.annotation.map(({ begin, end }) => [begin, end])).toEqual([
    [0, 3],
    [8, 10],
  ]);
});

/** Returns words joined by a separator, with an annotation for each word. */
function annotated(words: readonly string[], separator: string) {
  let offset = 0;
  const annotation = words.map((word) => {
    const begin = offset;
    const end = begin + Buffer.byteLength(word);
    offset = end + separator.length;
    return { begin, end };
  });
  return { content: words.join(separator), generatedCodeInfo: { annotation } };
}
