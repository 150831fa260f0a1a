import fc from "fast-check";
import { expect, test } from "vitest";
import { isReadablePayload } from "../../codec/src/scan/readable.ts";
import type { PaginateAdapter } from "../../runtime/src/adapter/adapter.ts";
import { adaptersOf } from "../fidelity/services.ts";
import { decodedPage, scannedPage } from "./both.ts";
import { anyText, Dice, mutated, objectText } from "./json-text.ts";

/** Methods whose pages the scanner may support. */
const SUBJECTS: readonly PaginateAdapter[] = [...(await adaptersOf("gen")), ...(await adaptersOf("test/gen"))]
  .flatMap(({ methods }) => Object.values(methods))
  .filter((adapter): adapter is PaginateAdapter => adapter.kind === "paginate")
  .filter(({ item }) => isReadablePayload(item));

/** Returns a JSON object with a value at each path. */
function placed(values: ReadonlyArray<readonly [path: string, value: string]>): string {
  const [[, whole = "{}"] = []] = values.filter(([path]) => path === "");
  if (values.some(([path]) => path === "")) return whole;
  const keys = [...new Set(values.map(([path]) => path.split(".")[0] ?? ""))];
  const members = keys.map((key) => {
    const inner = values.filter(([path]) => path === key || path.startsWith(`${key}.`));
    const [[, direct] = []] = inner.filter(([path]) => path === key);
    return `${JSON.stringify(key)}:${direct ?? placed(inner.map(([path, value]) => [path.slice(key.length + 1), value]))}`;
  });
  return `{${members.join(",")}}`;
}

function bodyText({ rules, items: paths, item, next }: PaginateAdapter, dice: Dice): string {
  const [payload = ""] = rules.envelope?.payload ?? [];
  const from = (path: string) => [payload, path].filter((each) => each !== "").join(".");
  const items = Array.from({ length: dice.of(5) }, () =>
    dice.once(30) ? anyText(dice, 4) : objectText(item, dice),
  );
  const found = [[from(dice.pick(paths)), `[${items.join(dice.once(4) ? " , " : ",")}]`] as const];
  const further: Array<readonly [string, string]> = [];
  if (next.kind === "cursor" && next.from === "payload") {
    further.push([from(dice.pick(next.paths)), anyText(dice, 9)]);
  }
  if (next.kind === "link") further.push([from(next.path), '"/more?cursor=735000000000051460"']);
  if (next.kind === "step" && next.total !== undefined) {
    further.push([from(next.total), dice.pick(["5", '"7"', "735000000000051460"])]);
  }
  further.push([from("beside"), anyText(dice, 4)], ["around", anyText(dice, 4)]);
  const status = rules.envelope?.status;
  if (status !== undefined) {
    further.push([status, dice.once(20) ? dice.pick(["404", '"200"', "null"]) : "200"]);
  }
  const before = dice.of(further.length + 1);
  return placed([...further.slice(0, before), ...found, ...further.slice(before)]);
}

test("property: for pages of any method, the scanner gives the decoder's result or falls back to the decoder", () => {
  let read = 0;
  let asked = 0;
  let reported = 0;
  const methods = new Set<PaginateAdapter>();
  fc.assert(
    fc.property(fc.constantFrom(...SUBJECTS), fc.nat(), (adapter, seed) => {
      const dice = new Dice(seed);
      const body = mutated(bodyText(adapter, dice), dice);
      asked++;
      const found = scannedPage(adapter, body);
      if (found === undefined) return;
      read++;
      methods.add(adapter);
      if (found.differences.list.length > 0) reported++;
      expect(found, body.toString()).toEqual(decodedPage(adapter, body));
    }),
    { numRuns: 3000 },
  );
  // Otherwise the property would test little.
  expect(read / asked).toBeGreaterThan(0.2);
  expect(reported).toBeGreaterThan(0);
  expect(methods.size / SUBJECTS.length).toBeGreaterThan(0.5);
});

const posts = SUBJECTS.find(({ method }) => method.name === "StreamPosts");

function page(
  list: string,
  beside = '"total_posts":2,"_links":{"next":{"href":"/v2?x=735000000000051460"}}',
): Buffer {
  return Buffer.from(`{"meta":{"status":200},"response":{"posts":${list},${beside}}}`);
}

test.each([
  "[]",
  " [ ] ",
  '[{"id":735000000000051460,"type":"text","body":"a]b"}]',
  '[ {"id_string":"1"} , {"tags":["]"],"id":2} ]',
  `[${Array.from({ length: 300 }, (_, id) => `{"id":${id},"summary":"${"x".repeat(id)}"}`).join(",")}]`,
])("a page of posts is scanned: case %#", (list) => {
  if (posts === undefined) throw new Error("no such method");
  const found = scannedPage(posts, page(list));
  expect(found).toEqual(decodedPage(posts, page(list)));
  expect(found).toBeDefined();
});

test.each([
  ["an item that is not an object", page('[{"id":1},7]')],
  ["an item that is null", page("[null]")],
  ["a repeated list", page("[]", '"posts":[{"id":1}]')],
  ["a list with an escape in its key", page("[]", '"p\\u006fsts":[{"id":1}]')],
  ["no list", Buffer.from('{"meta":{"status":200},"response":{}}')],
  ["no payload", Buffer.from('{"meta":{"status":200},"response":null}')],
  ["another status", Buffer.from('{"meta":{"status":404},"response":{"posts":[]}}')],
  ["content after the JSON", Buffer.concat([page("[]"), Buffer.from("}")])],
  ["more data than the scanner's memory holds", page(`[{"summary":"${"x".repeat(600_000)}"}]`)],
])("a page with %s is left to the decoder", (_, body) => {
  if (posts === undefined) throw new Error("no such method");
  expect(scannedPage(posts, body)).toBeUndefined();
});

test.each([
  '{"object_type":"post","content":[]}',
  '{"object_type":"post","content":[{"type":"text","text":"x"}],"layout":[],"zz_new":1}',
  '{"content":[],"slug":"x","objectType":"post"}',
])(
  "keys that a message reads from two levels below its parent are not reported as unknown keys of the parent: %s",
  (element) => {
    const timeline = SUBJECTS.find(({ method }) => method.name === "StreamTimeline");
    if (timeline === undefined) throw new Error("no such method");
    const body = Buffer.from(`{"meta":{"status":200},"response":{"timeline":{"elements":[${element}]}}}`);
    const found = decodedPage(timeline, body);
    // The bytes end with the element's type, so the element has no collected keys.
    expect(found.items[0]).toMatch(/5204706f7374$/);
    expect(scannedPage(timeline, body)).toEqual(found);
  },
);

test("a value that selects a oneof member two levels below is reported if no member reads it", () => {
  const timeline = SUBJECTS.find(({ method }) => method.name === "StreamTimeline");
  if (timeline === undefined) throw new Error("no such method");
  const element = '{"object_type":"post","content":"x"}';
  const body = Buffer.from(`{"meta":{"status":200},"response":{"timeline":{"elements":[${element}]}}}`);
  expect(scannedPage(timeline, body) ?? decodedPage(timeline, body)).toEqual(decodedPage(timeline, body));
});
