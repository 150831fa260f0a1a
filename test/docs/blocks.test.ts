import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, blocksBelow, blocksOf } from "./blocks.ts";

const line = fc
  .string({ unit: "grapheme-ascii" })
  .filter((text) => !text.startsWith("```") && !/[\r\n]/.test(text));
const block: fc.Arbitrary<Block> = fc.record({
  language: fc.constantFrom("sh", "ts", "proto"),
  text: fc.array(line).map((lines) => lines.map((each) => `${each}\n`).join("")),
  file: fc.option(fc.constantFrom("buf.yaml", "proto/a/v1/a.proto"), { nil: undefined }),
});

function printed({ language, text, file }: Block): string {
  const name = file === undefined ? "Some text." : `\`${file}\`:`;
  return `${name}\n\n\`\`\`${language}\n${text}\`\`\`\n`;
}

test("printed blocks are parsed unchanged", () => {
  const property = fc.property(fc.array(block), (blocks) => {
    expect(blocksOf(blocks.map(printed).join("\n"))).toEqual(blocks);
  });
  fc.assert(property, { interruptAfterTimeLimit: 2_000 });
});

test("the blocks below a heading end at the next heading of its level, but not at a comment in a block", () => {
  const page = "# A\n\n## B\n\n```sh\n# no heading\n```\n\n### C\n\n```ts\nc\n```\n\n## D\n\n```ts\nd\n```\n";
  expect(blocksBelow(page, "## B").map(({ text }) => text)).toEqual(["# no heading\n", "c\n"]);
  expect(blocksBelow(page, "## D").map(({ text }) => text)).toEqual(["d\n"]);
});

test("blocks below a missing heading are an error", () => {
  expect(() => blocksBelow("# A\n", "## B")).toThrow('expected the heading "## B", got none');
});
