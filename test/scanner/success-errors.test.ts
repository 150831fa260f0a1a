/** Tests errors in bodies with a success status: next to a payload, inside it, or instead of it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../codec/src/json/json.ts";
import { declaredText } from "../../codec/src/json/path-text.ts";
import { type FieldEntry, table } from "../../codec/src/table/message-table.ts";
import { completeRules } from "../../runtime/src/adapter/default-rules.ts";
import type { EnvelopeRule, ErrorShape } from "../../runtime/src/adapter/rules.ts";
import { atLeast } from "../draws.ts";
import { decoded, methodReadBy, type Outcome, pieces, scanned } from "./both.ts";

type Json = Record<string, JsonValue>;

/** Values that mean "no error", alone and in lists and objects. */
const EMPTY: fc.Arbitrary<JsonValue> = fc.letrec<{ empty: JsonValue }>((tie) => ({
  empty: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, false, 0, -0, "", " "),
    fc.mixedCase(fc.constantFrom("0", "false", "none", "null", "ok")),
    fc.array(tie("empty"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("title", "details", "count"), tie("empty"), { maxKeys: 2 }),
  ),
})).empty;
const MESSAGE = fc.constantFrom<JsonValue>("", "OK", "No such book", "0", ["is too long"], true);
const CODE = fc.constantFrom<JsonValue>(0, "0", 200, "200", 204, 299, "OK");
const ERROR_CODE = fc.constantFrom<JsonValue>(17, "17", -1, 20, 2000, "2xx", "not_found", [200], { a: 1 });
const ERROR_ITEM = fc.oneof(
  fc.constantFrom<JsonValue>(
    { message: "No such book" },
    { title: ["is too long"] },
    "No such book",
    true,
    1,
  ),
  fc.record({ code: ERROR_CODE, message: MESSAGE }, { requiredKeys: ["code"] }),
  fc.record({ code: ERROR_CODE, status: fc.constant("OK") }),
  fc.record({ code: fc.constant(null), status: fc.constantFrom(0, "0", 17), message: fc.constant("No") }),
);

/** Values that servers send if there is no error. */
const NO_ERRORS: fc.Arbitrary<JsonValue> = fc.oneof(
  EMPTY,
  fc.record({ code: CODE, message: MESSAGE, status: MESSAGE }, { requiredKeys: ["code"] }),
  fc.record({ code: fc.constant(null), status: fc.constantFrom("OK", "ok", 200), message: MESSAGE }),
  fc.record({ status: fc.constantFrom("OK", "ok", 200), message: MESSAGE }),
);
const ERRORS: fc.Arbitrary<JsonValue> = fc.oneof(
  ERROR_ITEM,
  fc
    .tuple(EMPTY, fc.oneof(ERROR_ITEM, fc.record({ code: CODE, message: fc.constant("No such book") })))
    .chain((items) => fc.shuffledSubarray([...items], { minLength: 2 })),
);
const NOTHING: readonly JsonValue[] = [null, {}, [], false, ""];

const PATH = fc.constantFrom(
  "errors",
  "error",
  "failures",
  "'api.errors'",
  "meta.errors",
  "data.errors",
  "data.'api.errors'",
  "data.meta.errors",
);
const SHAPE: fc.Arbitrary<ErrorShape> = fc.oneof(
  PATH.map((path) => ({ kind: "items", path, title: "message", code: "code", detail: "detail" }) as const),
  PATH.map((path) => ({ kind: "title_map", path }) as const),
  PATH.map((path) => ({ kind: "field_map", path }) as const),
  fc.constantFrom({ kind: "oauth" } as const, { kind: "rpc_status" } as const),
);
const ENVELOPE: fc.Arbitrary<EnvelopeRule | undefined> = fc.option(
  fc.record(
    {
      payload: fc.constantFrom(["data"], [""], ["data.item", "data"]),
      errors: PATH,
      status: fc.constantFrom("meta.status", "error.code"),
      known: fc.uniqueArray(fc.constantFrom("errors", "meta", "failures", "data.errors"), { maxLength: 2 }),
    },
    { requiredKeys: ["payload"] },
  ),
  { nil: undefined },
);
const CASE = fc.record({
  envelope: ENVELOPE,
  shapes: fc.array(SHAPE, { maxLength: 2 }),
  /** The keys that the message declares, and whether the message collects other keys. */
  declared: fc.uniqueArray(fc.constantFrom("errors", "error", "meta"), { maxLength: 2 }),
  collects: fc.boolean(),
  at: PATH,
  given: fc.oneof(
    ERRORS.map((value) => ({ value, isError: true })),
    NO_ERRORS.map((value) => ({ value, isError: false })),
  ),
  data: fc.oneof(
    fc.constantFrom<JsonValue>({ id: "a" }, { item: { id: "a" } }, { id: "a", errors: [] }),
    fc.constantFrom(...NOTHING),
  ),
  isFirst: fc.boolean(),
});
type Case = typeof CASE extends fc.Arbitrary<infer T> ? T : never;

function isWithin(path: string, root: string): boolean {
  return root === "" || path === root || path.startsWith(`${root}.`);
}

/** Returns the description's error paths that no other rule uses. */
function placesOf({ envelope, shapes }: Case): ReadonlySet<string> {
  const { payload = [], status, errors = "errors", known = [] } = envelope ?? {};
  const places = [
    ...(envelope === undefined ? [] : [errors]),
    ...shapes.map((shape) => ("path" in shape ? shape.path : "error")),
  ];
  const others = [...payload, ...(status === undefined ? [] : [status])];
  return new Set(
    places.filter(
      (place) =>
        !others.some((other) => isWithin(other, place)) && !known.some((other) => isWithin(place, other)),
    ),
  );
}

/** Returns a body with a value at a path, and the payload at `data`. */
function bodyOf({ at, given: { value }, data, isFirst }: Case): Json | undefined {
  const steps = Array.from(at.matchAll(/'(.*?)'|[^.']+/g), ([key, quoted]) => quoted ?? key);
  if (steps[0] === "data") {
    if (data === null || typeof data !== "object" || Array.isArray(data)) return undefined;
    return { data: { ...(data as Json), ...nested(steps.slice(1), value) } };
  }
  const around = nested(steps, value);
  return isFirst ? { ...around, data } : { data, ...around };
}

function nested(steps: readonly string[], value: JsonValue): Json {
  return steps.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value) as Json;
}

/** Returns the outcome that the envelope and the declared keys require. */
function expected(each: Case, body: Json): "error" | "lost" | "nothing" {
  const { envelope, declared, collects, at, given, data } = each;
  if (!given.isError || !placesOf(each).has(at)) return "nothing";
  const { payload = [""] } = envelope ?? {};
  const isEmpty = NOTHING.includes(data) && !isWithin(at, "data");
  if (isEmpty && !payload.includes("")) return "error";
  const root = payload.includes("") ? "" : payload.length > 1 && hasItem(body) ? "data.item" : "data";
  if (!isWithin(at, root)) return "lost";
  const [key = ""] = (root === "" ? at : at.slice(root.length + 1)).split(".");
  return collects || declared.some((each) => each === key) ? "nothing" : "lost";
}

function hasItem({ data }: Json): boolean {
  return typeof data === "object" && data !== null && "item" in data;
}

function outcomeOf({ message, differences }: Outcome, at: string): string {
  if (message.startsWith("ConnectError") && message.includes("responded with 200")) return "error";
  const isLost = differences.list.some(
    ({ path, class: as, expected: wanted }) =>
      path === declaredText(at) && as === "lost" && wanted === "no errors",
  );
  return isLost ? "lost" : "nothing";
}

test("property: with a success status, an error without a payload fails the call, and an error next to a payload is reported", () => {
  const seen = { error: 0, lost: 0, nothing: 0, scanned: 0 };
  fc.assert(
    fc.property(CASE, (each) => {
      const json = bodyOf(each);
      fc.pre(json !== undefined);
      const { envelope, shapes, declared, collects } = each;
      const keys = declared.map((key, index): FieldEntry => [index + 3, { loose: "string" }, key]);
      const adapter = {
        ...methodReadBy(
          table("test.Book", () => [
            [1, "string", "id"],
            ...keys,
            ...(collects ? [{ unknown: 9 } as const] : []),
          ]),
        ),
        rules: completeRules({ upstream: "api", envelope, errorShapes: shapes }),
      };
      const body = Buffer.from(JSON.stringify(json));
      const says = `${JSON.stringify(adapter.rules)} ${body}`;
      const found = decoded(adapter, body);
      const work = pieces(adapter, body, 24);
      let step = work.next();
      while (step.done !== true) step = work.next();
      for (const fast of [scanned(adapter, body), step.value]) {
        if (fast === undefined) continue;
        seen.scanned++;
        expect(fast, says).toEqual(found);
      }
      const outcome = expected(each, json);
      seen[outcome]++;
      expect([says, outcomeOf(found, each.at)]).toEqual([says, outcome]);
    }),
    { numRuns: 6000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(atLeast(100));
});
