/** Tests the check for the constructions of `scripts/words.ts`, and the script that draws passages. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unlistedViolations, wordViolations } from "../../scripts/check-words.ts";
import { commentsOf, draw, sentencesOf } from "../../scripts/draw-sentences.ts";
import { WORDS } from "../../scripts/words.ts";

const ROOT = join(import.meta.dirname, "../..");

/** One phrase per construction, in the order of the table. */
const PHRASES: readonly string[] = [
  "whoever asks",
  "the limits and those of callers",
  "it comes to 5",
  "the stream goes on",
  "asked once more",
  "likewise for lists",
  "a token is wanted",
  "the text is no number",
  "a call that has none",
  "the text behind it",
  "the caller is told",
  "a port of its own",
  "it refuses calls",
  "it denies access",
  "a renewed token",
  "sent at once",
  "as ever",
  "the name is said",
  "the rest is left alone",
  "the client is gone",
  "all but for one",
  "the keys beside it",
  "the rule stands here",
  "lists and the like",
  "upon a signal",
  "polled in vain",
  "the limit thereof",
  "a parked stream",
  "the seat on the bus",
  "What is left is sent.",
];

test.each(WORDS.map(([construction], index) => [construction, PHRASES[index] ?? ""] as const))(
  "the check finds %s",
  (construction, phrase) => {
    expect(phrase).toMatch(new RegExp(construction.source, construction.flags.replace("g", "")));
    expect(wordViolations(`Some text: ${phrase}\n`, "page.md")).toHaveLength(1);
    expect(wordViolations(`/** Some text: ${phrase} */\nf();\n`, "source.ts")).toHaveLength(1);
    expect(wordViolations(`// Some text: ${phrase}\nmessage M {}\n`, "some.proto")).toHaveLength(1);
    expect(wordViolations(`test("some text: ${phrase}", f);\n`, "source.test.ts")).toHaveLength(1);
    expect(wordViolations(`test.each(\n  [1],\n)("%i: ${phrase}", f);\n`, "source.test.ts")).toHaveLength(1);
  },
);

test.each([
  "There is no rule. It is no longer read, and there are none.",
  "`whoever` and ``those of`` are code.",
  "```sh\nwhoever\n```",
  "[A link](whoever-those-of.md).",
  "A stand-in stands for an upstream. Connection refused, denial of service.",
  "What does a call cost?",
  "## What is retried",
  "<!-- words: allow whoever -->\nWhoever reads this.",
])("a page may contain %j", (page) => {
  expect(wordViolations(page, "page.md")).toEqual([]);
});

test.each([
  'const text = "whoever";',
  "/**\n * An example:\n *\n *     whoever();\n */",
  "// words: allow whoever\n/** Whoever calls. */\nf();",
  "// biome-ignore lint: whoever",
  "import { type Turn, type ThirdParty } from './party.ts';",
])("a source may contain %j", (source) => {
  expect(wordViolations(source, "source.ts")).toEqual([]);
});

test("a violation has the position, the phrase and the replacement, even if the phrase spans two lines", () => {
  expect(wordViolations("/**\n * Reads the keys and those\n * of `f`.\n */\n", "source.ts")).toEqual([
    'source.ts:2:23: "those of"; write: repeat the noun: the limits of',
  ]);
});

test("a phrase does not continue across code, and a comment allows phrases only in its own paragraph", () => {
  expect(wordViolations("// those\nf();\n// of a kind\n", "source.ts")).toEqual([]);
  expect(wordViolations("<!-- words: allow whoever -->\n\nWhoever reads.\n", "page.md")).toHaveLength(1);
});

test.each([
  "class Crowd {}",
  "interface Seat<T> {}",
  "type ThirdParty = string;",
  "class OwnBag extends Map {}",
])("the type name in %s is reported as private", (source) => {
  expect(wordViolations(source, "source.ts")).toHaveLength(1);
});

test("a listed file may have violations, but a listed file without violations is reported", () => {
  const found = new Map([
    ["old.md", ["old.md:1:1"]],
    ["new.md", ["new.md:1:1"]],
    ["clean.md", []],
  ]);
  expect(unlistedViolations(found, ["old.md", "clean.md", "removed.md"])).toEqual([
    "new.md:1:1",
    "scripts/words-unclean.txt: clean.md is clean; run node scripts/check-words.ts --update",
    "scripts/words-unclean.txt: removed.md is clean; run node scripts/check-words.ts --update",
  ]);
});

test("the command prints the violations in the given files, and fails", () => {
  const folder = mkdtempSync(join(ROOT, "test/words/pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const page = join(folder, "page.md");
  const run = () =>
    spawnSync(process.execPath, ["scripts/check-words.ts", page], { cwd: ROOT, encoding: "utf8" });
  writeFileSync(page, "Asked once more.\n");
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('page.md:1:7: "once more"') });
  writeFileSync(page, "Asked again.\n");
  expect(run()).toMatchObject({ status: 0, stderr: "" });
});

const PAGE = `# A heading of several words

The first sentence, e.g. with \`code.\` in it. The second one has a [link](https://example.com/a.b)
and two lines.

- An item of a list.
- Another item (in parentheses.) And one more sentence.

| a table | with a longer cell |
`;

test("a sentence of a page ends at a full stop, a list item or a table cell", () => {
  expect(sentencesOf(PAGE, "page.md").map(({ place, text }) => `${place} ${text}`)).toEqual([
    "page.md:3:1 The first sentence, e.g. with `code.` in it.",
    "page.md:3:46 The second one has a [link](https://example.com/a.b) and two lines.",
    "page.md:6:3 An item of a list.",
    "page.md:7:3 Another item (in parentheses.)",
    "page.md:7:34 And one more sentence.",
    "page.md:9:13 with a longer cell",
  ]);
});

test("consecutive comment lines are drawn as one passage, with the next line of code", () => {
  const source =
    "/**\n * Reads a file\n * of keys.\n */\nf(); // not read again later\ng();\n// one and two\n// and three more\nh();\nif (x) {\n  // an indented line\n  // of two\n  k();\n}\n";
  expect(commentsOf(source, "source.ts").map(({ text, code }) => [text, code])).toEqual([
    ["Reads a file of keys.", "f(); // not read again later"],
    ["not read again later", "f();"],
    ["one and two and three more", "h();"],
    ["an indented line of two", "k();"],
  ]);
});

test("a draw depends on the seed, and a changed text does not change the order of the other texts", () => {
  const passages = Array.from({ length: 50 }, (_, index) => ({
    place: `page.md:${index}:1`,
    text: `text ${index}`,
  }));
  const drawn = draw(passages, 50, "1");
  expect(drawn).not.toEqual(draw(passages, 50, "2"));
  expect(draw(passages, 10, "1")).toEqual(drawn.slice(0, 10));
  const [gone] = drawn;
  expect(
    draw(
      passages.filter((each) => each !== gone),
      50,
      "1",
    ),
  ).toEqual(drawn.slice(1));
});
