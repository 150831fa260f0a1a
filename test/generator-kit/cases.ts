/**
 * Generator responses on which the applier is compared with protoc and buf, and the known differences between
 * the two compilers.
 */
import type { Dialect, REFUSED } from "protoc-gen-connect-rest/kit";
import type { CompilerName } from "./compilers.ts";

/** An entry of CodeGeneratorResponse.file. */
export interface Entry {
  readonly name?: string;
  readonly insertionPoint?: string;
  readonly content?: string;
  /** The start and end of each annotation, in bytes; the nth annotation has the path [4, n]. */
  readonly annotations?: ReadonlyArray<readonly [number, number]>;
}

export interface Case {
  readonly name: string;
  /** One list per generator, in the order in which the generators run. */
  readonly responses: ReadonlyArray<readonly Entry[]>;
  /**
   * The known difference between protoc and buf that this case shows. Without a known difference, the
   * compilers must agree.
   */
  readonly differs?: keyof Dialect;
  /** Responses that the applier rejects although the compiler accepts them, by compiler. */
  readonly rejected?: Readonly<Partial<Record<CompilerName, keyof typeof REFUSED>>>;
}

const mark = (name: string) => `// @@protoc_insertion_point(${name})`;
const file = (name: string, content: string): Entry => ({ name, content });
const more = (content: string): Entry => ({ content });
const into = (name: string, insertionPoint: string, content: string): Entry => ({
  name,
  insertionPoint,
  content,
});

const LONG = "x".repeat(65_536);
const AT_LIMIT = "x".repeat(65_535);
const HOST = file("a.ts", `first\n  ${mark("p")}\nlast\n`);
/** The annotations `first` and `last` of HOST, as encoded GeneratedCodeInfo. */
const META = file("a.ts.pb.meta", "\n\x08\n\x02\x04\x00\x18\x00 \x05\n\x08\n\x02\x04\x01\x18( ,");
const TEXT_META = file("a.ts.pb.meta", "annotation { path: 4 begin: 0 end: 5 }\n");

export const CASES: readonly Case[] = [
  { name: "files of two generators", responses: [[file("a.ts", "a\n")], [file("b/c.ts", "c\n")]] },
  { name: "no files", responses: [[], []] },
  { name: "an empty file", responses: [[file("a.ts", "")]] },
  {
    name: "a file that nothing is inserted into keeps its bytes",
    responses: [[file("a.ts", "a\r\nb\r\n\n")]],
  },
  { name: "an insertion", responses: [[HOST], [into("a.ts", "p", "one\n")]] },
  { name: "an insertion by the generator itself", responses: [[HOST, into("a.ts", "p", "one\n")]] },
  {
    name: "insertions in order",
    responses: [
      [HOST],
      [into("a.ts", "p", "one\n"), into("a.ts", "p", "two\n")],
      [into("a.ts", "p", "three\n")],
    ],
  },
  {
    name: "several points",
    responses: [
      [file("a.ts", `${mark("p")}\n\t${mark("q")}\n`)],
      [into("a.ts", "q", "one\n"), into("a.ts", "p", "two\n"), into("a.ts", "q", "three\n")],
    ],
  },
  {
    name: "several files",
    responses: [
      [HOST, file("b.ts", mark("p"))],
      [into("b.ts", "p", "1"), into("a.ts", "p", "2")],
    ],
  },
  { name: "text without a final line feed", responses: [[HOST], [into("a.ts", "p", "one")]] },
  { name: "empty lines are indented too", responses: [[HOST], [into("a.ts", "p", "one\n\n\ntwo")]] },
  { name: "only an empty line", responses: [[HOST], [into("a.ts", "p", "\n")]] },
  { name: "an empty insertion", responses: [[HOST], [into("a.ts", "p", "")]] },
  {
    name: "text outside of ASCII",
    responses: [[file("ü.ts", `é🙂\n  ${mark("p")} 🙂\n`)], [into("ü.ts", "p", "ü\n🙂")]],
  },
  {
    name: "a marker on the first line",
    responses: [[file("a.ts", `  ${mark("p")}\n`)], [into("a.ts", "p", "one\n")]],
  },
  {
    name: "a marker without a line end",
    responses: [[file("a.ts", mark("p"))], [into("a.ts", "p", "one\n")]],
  },
  {
    name: "a marker behind code",
    responses: [[file("a.ts", `  code(); ${mark("p")}\n`)], [into("a.ts", "p", "1\n2\n")]],
  },
  {
    name: "tabs before a marker",
    responses: [[file("a.ts", `\t \t${mark("p")}\n`)], [into("a.ts", "p", "1\n2\n")]],
  },
  {
    name: "a point named as ours are",
    responses: [[file("a.ts", mark("service:a.v1.B"))], [into("a.ts", "service:a.v1.B", "1")]],
  },
  {
    name: "a point with parentheses",
    responses: [[file("a.ts", mark("a(b)"))], [into("a.ts", "a(b)", "1")]],
  },
  {
    name: "a point whose name begins as another",
    responses: [[file("a.ts", `${mark("ab")}\n${mark("a")}`)], [into("a.ts", "a", "1")]],
  },
  {
    name: "a marker twice on a line",
    responses: [[file("a.ts", `${mark("p")} ${mark("p")}`)], [into("a.ts", "p", "1")]],
  },
  {
    name: "an inserted marker",
    responses: [[HOST], [into("a.ts", "p", mark("q"))], [into("a.ts", "q", "one\n")]],
  },
  {
    name: "a chunk without a name",
    responses: [[file("a.ts", "a"), more("b\n"), file("b.ts", "c"), more("d"), more("e\n")]],
  },
  {
    name: "a marker cut in two by chunks",
    responses: [[file("a.ts", "// @@protoc_inser"), more("tion_point(p)")], [into("a.ts", "p", "1")]],
  },
  {
    name: "a chunk after an insertion",
    responses: [[HOST], [into("a.ts", "p", "one"), more("two\n"), into("a.ts", "p", "three\n")]],
  },
  { name: "a first chunk without a name", responses: [[more("a")]] },
  {
    name: "a chunk does not continue a file of another generator",
    responses: [[file("a.ts", "a")], [more("b")]],
  },
  { name: "a file that does not exist", responses: [[HOST], [into("b.ts", "p", "one\n")]] },
  { name: "a file that is made later", responses: [[into("a.ts", "p", "one\n"), HOST]] },
  { name: "a point that does not exist", responses: [[HOST], [into("a.ts", "q", "one\n")]] },
  { name: "a point in an empty file", responses: [[file("a.ts", "")], [into("a.ts", "q", "one\n")]] },
  {
    name: "a point named by another's prefix",
    responses: [[file("a.ts", mark("ab"))], [into("a.ts", "a", "1")]],
  },
  { name: "an insertion without a name", responses: [[HOST, { insertionPoint: "p", content: "one\n" }]] },
  {
    name: "an insertion without a name, first",
    responses: [[HOST], [{ insertionPoint: "p", content: "one\n" }]],
  },
  { name: "a file of two generators", responses: [[file("a.ts", "a")], [file("a.ts", "a")]] },
  {
    name: "a file twice in a response",
    responses: [[file("a.ts", "a"), file("a.ts", "b")]],
    rejected: { buf: "duplicateInResponse" },
  },
  { name: "dots in a path's component", responses: [[file(".a/..b/foo..bar.ts", "a")]] },
  { name: "a colon in a path", responses: [[file("c:/a.ts", "a")]] },
  { name: "an absolute path", responses: [[file("/a.ts", "a")]], rejected: { protoc: "absolutePath" } },
  { name: "a path upwards", responses: [[file("../a.ts", "a")]], rejected: { protoc: "parentPath" } },
  { name: "the output directory as a file", responses: [[file(".", "a")]] },
  { name: "the directory above as a file", responses: [[file("..", "a")]] },
  {
    name: "a path with .",
    responses: [[file("./a.ts", "a")]],
    rejected: { protoc: "uncleanPath", buf: "uncleanPath" },
  },
  {
    name: "a path with .. inside",
    responses: [[file("a/../b.ts", "a")]],
    rejected: { protoc: "uncleanPath", buf: "uncleanPath" },
  },
  {
    name: "a path with an empty component",
    responses: [[file("a//b.ts", "a")]],
    rejected: { protoc: "uncleanPath", buf: "uncleanPath" },
  },
  { name: "a path that ends in a slash", responses: [[file("a/", "a")]], rejected: { buf: "uncleanPath" } },
  {
    name: "a path with a backslash",
    responses: [[file("a\\b.ts", "a")]],
    rejected: { protoc: "backslashPath", buf: "backslashPath" },
  },
  {
    name: "a marker on two lines",
    responses: [[file("a.ts", `${mark("p")}\nx\n  ${mark("p")}\n`)], [into("a.ts", "p", "1\n2\n")]],
    differs: "repeatedMarker",
  },
  {
    name: "a marker that an insertion repeats",
    responses: [[HOST], [into("a.ts", "p", mark("p"))], [into("a.ts", "p", "one\n")]],
    differs: "repeatedMarker",
  },
  {
    name: "CRLF in the file",
    responses: [[file("a.ts", `x\r\n ${mark("p")}\r\ny\r\r\n\r`)], [into("a.ts", "p", "1\n")]],
    differs: "lineEnds",
  },
  {
    name: "CRLF in the insertion",
    responses: [[HOST], [into("a.ts", "p", "1\r\n2\r")]],
    differs: "lineEnds",
  },
  {
    name: "a lone carriage return",
    responses: [[file("a.ts", `x\r ${mark("p")}\ry`)], [into("a.ts", "p", "1\r2")]],
  },
  {
    name: "a file's final line feed",
    responses: [[HOST], [into("a.ts", "p", "one\n")]],
    differs: "finalNewline",
  },
  {
    name: "two final line feeds",
    responses: [[file("a.ts", `${mark("p")}\n\n`)], [into("a.ts", "p", "1"), into("a.ts", "p", "2")]],
    differs: "finalNewline",
  },
  {
    name: "a marker in a comment of its own",
    responses: [[file("a.ts", "f(a, /* @@protoc_insertion_point(p) */);\n")], [into("a.ts", "p", "b,\n")]],
    differs: "inlineMarker",
  },
  {
    name: "an indented comment of its own",
    responses: [[file("a.ts", "x\n  /* @@protoc_insertion_point(p) */\n")], [into("a.ts", "p", "1\n2\n")]],
    differs: "inlineMarker",
  },
  {
    name: "a comment of its own at the start",
    responses: [[file("a.ts", "/* @@protoc_insertion_point(p) */\n")], [into("a.ts", "p", "1\n")]],
  },
  {
    name: "unusual white space",
    responses: [[file("a.ts", `x\n \u00a0\u2003\v${mark("p")}\n`)], [into("a.ts", "p", "1\n2\n")]],
    differs: "indent",
  },
  {
    name: "a line at the limit",
    responses: [[file("a.ts", `${AT_LIMIT}\n${mark("p")}\n`)], [into("a.ts", "p", `${AT_LIMIT}\n2`)]],
  },
  {
    name: "a last line at the limit",
    responses: [[file("a.ts", `${mark("p")}\n${AT_LIMIT}`)], [into("a.ts", "p", `1\n${AT_LIMIT}`)]],
  },
  {
    name: "a line above the limit",
    responses: [[file("a.ts", `${LONG}\n${mark("p")}\n`)], [into("a.ts", "p", "1")]],
    differs: "longestLine",
  },
  {
    name: "a last line above the limit",
    responses: [[file("a.ts", `${mark("p")}\n${LONG}`)], [into("a.ts", "p", "1")]],
    differs: "longestLine",
  },
  { name: "a long line without insertions", responses: [[file("a.ts", `${LONG}\n`)]] },
  {
    name: "an inserted line above the limit",
    responses: [[HOST], [into("a.ts", "p", `1\n${LONG}\n2`)]],
    differs: "longestLine",
    rejected: { buf: "longInsertedLine" },
  },
  {
    name: "annotations of a file alone",
    responses: [[{ ...HOST, annotations: [[0, 5]] }], [into("a.ts", "p", "1")]],
  },
  {
    name: "annotations of an insertion",
    responses: [[HOST], [{ ...into("a.ts", "p", "one\n"), annotations: [[0, 3]] }]],
    differs: "codeInfo",
  },
  {
    name: "annotations behind text outside of ASCII",
    responses: [
      [file("a.ts", `é🙂\n\t${mark("p")}\n`)],
      [
        {
          ...into("a.ts", "p", "ü\n🙂 one\n"),
          annotations: [
            [0, 2],
            [3, 7],
            [8, 11],
          ],
        },
      ],
    ],
    differs: "codeInfo",
  },
  {
    name: "annotations move",
    responses: [
      [HOST, META],
      [
        {
          ...into("a.ts", "p", "é\ntwo"),
          annotations: [
            [0, 2],
            [3, 6],
          ],
        },
      ],
    ],
    differs: "codeInfo",
  },
  {
    name: "annotations move without new ones",
    responses: [[HOST, META], [into("a.ts", "p", "é\ntwo")]],
    differs: "codeInfo",
  },
  {
    name: "annotations of several insertions",
    responses: [
      [HOST, META],
      [
        { ...into("a.ts", "p", "1\n2\n"), annotations: [[0, 3]] },
        { ...into("a.ts", "p", "3\n"), annotations: [[0, 2]] },
      ],
    ],
    differs: "codeInfo",
  },
  {
    name: "annotations of a chunk without a name",
    responses: [
      [HOST, META],
      [
        { ...into("a.ts", "p", "1\n"), annotations: [[0, 1]] },
        { content: "2\n", annotations: [[0, 1]] },
      ],
    ],
    differs: "codeInfo",
  },
  {
    name: "annotations in text format",
    responses: [[HOST, TEXT_META], [{ ...into("a.ts", "p", "1\n"), annotations: [[0, 1]] }]],
    differs: "codeInfo",
    rejected: { protoc: "textCodeInfo" },
  },
  {
    name: "annotations in no format",
    responses: [
      [HOST, file("a.ts.pb.meta", "nonsense")],
      [{ ...into("a.ts", "p", "1\n"), annotations: [[0, 1]] }],
    ],
    rejected: { protoc: "brokenCodeInfo" },
  },
];
