/** Compares cursors and totals of any spelling with the exact value of the number. */
import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LITERAL } from "../fidelity/number-literals.ts";
import { decimalOf, integerOf } from "../fidelity/number-model.ts";
import { DeclaredService } from "../gen/rules/v1/declared_pb.ts";
import { DeclaredServiceRest } from "../gen/rules/v1/declared_rest.ts";
import { start } from "./world.ts";

type Method =
  | "listByCursor"
  | "listByLastItem"
  | "listByPresentNumber"
  | "listByPresentLastNumber"
  | "listByTotal";

/** Calls a method whose first page has this body. Returns the parameter of the next request, if any. */
async function called(method: Method, body: string, parameter: string) {
  const { client, seen, differences } = await start(
    DeclaredService,
    DeclaredServiceRest,
    (_, index) =>
      index === 0 ? { body, headers: { "content-type": "application/json" } } : { json: { items: [] } },
    { strict: false },
  );
  let reason: string | undefined;
  try {
    for await (const _ of client[method]({}));
  } catch (error) {
    reason = reasonOf(ConnectError.from(error));
  }
  const [, query] = seen[1]?.line.split("?") ?? [];
  return {
    sent: seen.length > 1 ? new URLSearchParams(query).get(parameter) : undefined,
    reason,
    found: differences
      .filter((each) => each.class !== "additional")
      .map((each) => `${each.class} ${each.path}`),
  };
}

/** A place of a cursor: in the payload, or in the last item. */
interface Place {
  readonly method: Method;
  readonly isText: boolean;
  readonly parameter: string;
  readonly path: string;
  readonly body: (token: string) => string;
}

const PLACES: readonly Place[] = [
  {
    method: "listByCursor",
    isText: true,
    parameter: "cursor",
    path: "a.b.place",
    body: (token) => `{"items":[{"id":"1"}],"a":{"b":{"place":${token}}}}`,
  },
  {
    method: "listByLastItem",
    isText: true,
    parameter: "cursor",
    path: "items[1].a.b.place",
    body: (token) => `{"items":[{"id":"0"},{"id":"1","a":{"b":{"place":${token}}}}]}`,
  },
  {
    method: "listByPresentNumber",
    isText: false,
    parameter: "present",
    path: "next",
    body: (token) => `{"items":[{"id":"1"}],"next":${token}}`,
  },
  {
    method: "listByPresentLastNumber",
    isText: false,
    parameter: "present",
    path: "items[0].next",
    body: (token) => `{"items":[{"id":"1","next":${token}}]}`,
  },
];

/** Returns the number that a parameter represents, without trailing zeros. */
function canonical(text: string): string {
  const { digits, exponent } = decimalOf(text);
  if (digits === 0n) return "0";
  const zeros = /0*$/.exec(String(digits))?.[0].length ?? 0;
  return `${digits / 10n ** BigInt(zeros)}e${exponent + zeros}`;
}

test("property: a number in place of a cursor is sent with its exact value and reported, or rejected", async () => {
  await fc.assert(
    fc.asyncProperty(LITERAL, fc.boolean(), fc.constantFrom(...PLACES), async (literal, isQuoted, place) => {
      const token = isQuoted ? `"${literal}"` : literal;
      const { sent, reason, found } = await called(place.method, place.body(token), place.parameter);
      const name = `${place.method} ${token}`;
      const integer = integerOf(decimalOf(literal));
      if (!place.isText && !(integer !== undefined && integer >= -(2n ** 63n) && integer < 2n ** 64n)) {
        expect([name, sent, reason, found]).toEqual([name, undefined, "CURSOR_INVALID", []]);
        return;
      }
      expect([name, reason]).toEqual([name, undefined]);
      expect([name, canonical(sent ?? "")]).toEqual([name, canonical(literal)]);
      if (isQuoted && place.isText) expect(sent).toBe(literal);
      const isConverted = place.isText && !isQuoted;
      expect([name, found]).toEqual([name, isConverted ? [`converted ${place.path}`] : []]);
    }),
    { numRuns: 1_000 },
  );
});

test.each(PLACES)("a boolean in place of a cursor is reported ($method)", async (place) => {
  const { method, body, parameter, path } = place;
  expect(await called(method, body("true"), parameter)).toEqual({
    sent: undefined,
    reason: "RESPONSE_SHAPE",
    found: [],
  });
  // a last item without a cursor does not mark the end of a list
  const difference = path.startsWith("items") ? "lost" : "converted";
  expect(await called(method, body("false"), parameter)).toEqual({
    sent: undefined,
    reason: undefined,
    found: [`${difference} ${path}`],
  });
});

test("property: a total that is not an integer of at most 2^53 is reported as lost", async () => {
  const total = fc.oneof(
    fc.tuple(LITERAL, fc.boolean()).map(([literal, isQuoted]) => (isQuoted ? `"${literal}"` : literal)),
    fc.constantFrom('"NaN"', '"Infinity"', "1e400", "2.5", '"2.5"', "1e5000"),
  );
  await fc.assert(
    fc.asyncProperty(total, async (token) => {
      const { reason, found } = await called(
        "listByTotal",
        `{"items":[{"id":"1"}],"a":{"b":{"place":${token}}}}`,
        "offset",
      );
      const text = token.replaceAll('"', "");
      const integer = /^-?\d/.test(text) && text !== "1e5000" ? integerOf(decimalOf(text)) : undefined;
      const isHeld = integer !== undefined && Number.isSafeInteger(Number(integer));
      // A total below the number of items contradicts the page. Of two differences, the more severe one is
      // reported.
      const isKept = isHeld && integer >= 1n;
      const classes = !isKept ? ["lost a.b.place"] : token === text ? [] : ["converted a.b.place"];
      expect([token, reason, found]).toEqual([token, undefined, classes]);
    }),
    { numRuns: 400 },
  );
});

test("property: a text that no request can contain is rejected as an error of the upstream", async () => {
  const broken = fc.tuple(fc.string(), fc.integer({ min: 0xd800, max: 0xdfff })).map(([text, unit]) => {
    return JSON.stringify(`${text} ${String.fromCharCode(unit)} `);
  });
  const textPlaces = PLACES.filter(({ isText }) => isText);
  await fc.assert(
    fc.asyncProperty(broken, fc.constantFrom(...textPlaces), async (token, { method, body, parameter }) => {
      const { sent, reason } = await called(method, body(token), parameter);
      expect([token, sent, reason]).toEqual([token, undefined, "CURSOR_INVALID"]);
    }),
    { numRuns: 50 },
  );
});
