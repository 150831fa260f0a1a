import fc from "fast-check";
import { expect, test } from "vitest";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { adaptersOf } from "../fidelity/services.ts";
import { decoded, scanned } from "./both.ts";
import { Dice, mutated, objectText } from "./json-text.ts";

/** Methods whose responses the scanner knows. */
const SUBJECTS: readonly UnaryAdapter[] = [...(await adaptersOf("gen")), ...(await adaptersOf("test/gen"))]
  .flatMap(({ methods }) => Object.values(methods))
  .filter((adapter): adapter is UnaryAdapter => adapter.kind === "unary" && adapter.scan !== undefined);

function bodyText({ scan, rules: { envelope } }: UnaryAdapter, dice: Dice): string {
  const decode = typeof scan === "function" ? scan : scan?.[1];
  const payload = typeof decode === "function" ? objectText(decode, dice) : "[]";
  const [path = ""] = envelope?.payload ?? [];
  const wrap = (value: string, at: string) =>
    at.split(".").reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, value);
  if (path === "") return payload;
  const inner = wrap(payload, path);
  if (envelope?.status === undefined) return inner;
  const status = wrap(
    dice.once(20) ? dice.pick(["404", '"200"', "null", "201", "200.0"]) : "200",
    envelope.status,
  );
  return `${status.slice(0, -1)},${inner.slice(1)}`;
}

test("the scanner reads a response of any method to the same bytes as the decoder, or leaves it to it", () => {
  let read = 0;
  let asked = 0;
  let reported = 0;
  fc.assert(
    fc.property(fc.constantFrom(...SUBJECTS), fc.nat(), (adapter, seed) => {
      const dice = new Dice(seed);
      const body = mutated(bodyText(adapter, dice), dice);
      asked++;
      const found = scanned(adapter, body);
      if (found === undefined) return;
      read++;
      if (found.differences.list.length > 0) reported++;
      expect(found, body.toString()).toEqual(decoded(adapter, body));
    }),
    { numRuns: 4000 },
  );
  // else the test would say little
  expect(read / asked).toBeGreaterThan(0.2);
  expect(reported / read).toBeGreaterThan(0.01);
});

test.each([
  '{"type":"link","content":null}',
  '{"type":"text","content":"x","zz":1}',
  '{"type":"blocks","content":[{"type":"text","text":"x"}],"layout":[]}',
])("a post with the key of another member of its oneof is read alike: %s", (post) => {
  const adapter = SUBJECTS.find(({ method }) => method.name === "ListQueuedPosts");
  if (adapter === undefined) throw new Error("no such method");
  const body = Buffer.from(`{"meta":{"status":200},"response":{"posts":[${post}]}}`);
  expect(scanned(adapter, body) ?? decoded(adapter, body)).toEqual(decoded(adapter, body));
});
