import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DeclaredService } from "../gen/rules/v1/declared_pb.ts";
import { DeclaredServiceRest } from "../gen/rules/v1/declared_rest.ts";
import { start } from "./world.ts";

type Json = Readonly<Record<string, unknown>>;
type Departure = "converted" | "lost";
/** A function that puts an object into a shape, whether the object is read, and the reported difference. */
type Shape = readonly [make: (object: Json) => unknown, isEntered: boolean, departure?: Departure];

/** The shapes in which a field can hold a message. The same rules apply to each step of a path. */
const SHAPES: Readonly<Record<string, Shape>> = {
  object: [(object) => object, true],
  "list of one": [(object) => [object], true, "converted"],
  "list of several": [(object) => [object, { place: "other" }], true, "lost"],
  null: [() => null, false],
  "empty object": [() => ({}), false],
  "empty list": [() => [], false, "converted"],
  false: [() => false, false, "converted"],
  "empty text": [() => "", false, "converted"],
  text: [() => "x", false, "lost"],
  number: [() => 7, false, "lost"],
  true: [() => true, false, "lost"],
  "list of texts": [() => ["x"], false, "lost"],
};

/**
 * A random response with a value at `a.b.place`, where `a` and `b` have random shapes. Also says whether the
 * value must be found, and which differences must be reported.
 */
interface Drawn {
  place(value: unknown): Json;
  readonly isFound: boolean;
  readonly departures: ReadonlyArray<readonly [path: string, departure: Departure]>;
}

const STEP = fc.oneof(
  { arbitrary: fc.constantFrom("object", "list of one", "list of several"), weight: 2 },
  { arbitrary: fc.constantFrom(...Object.keys(SHAPES)), weight: 1 },
);
const WAY: fc.Arbitrary<Drawn> = fc.tuple(STEP, STEP).map(([first, second]) => {
  const [makeA, entersA, departsA] = SHAPES[first] as Shape;
  const [makeB, entersB, departsB] = SHAPES[second] as Shape;
  return {
    place: (value) => ({ a: makeA({ b: makeB({ place: value }) }) }),
    isFound: entersA && entersB,
    departures: [
      ...(departsA === undefined ? [] : [["a", departsA] as const]),
      ...(entersA && departsB !== undefined ? [["a.b", departsB] as const] : []),
    ],
  };
});

type Client = Awaited<ReturnType<typeof start<typeof DeclaredService>>>["client"];

/** A place that a rule reads: the upstream's first response, its later responses, and the call. */
interface Place {
  first(way: Drawn): Json;
  readonly later?: Json;
  call(client: Client): Promise<unknown>;
  /** The result of the call and the number of requests if the place is found; `absent` if it is not. */
  readonly found: readonly [got: unknown, requests: number];
  readonly absent: readonly [got: unknown, requests: number];
  /** The path of another difference, reported if the place is missing. */
  readonly lostWithout?: string;
  /** The path of the object that contains the place. */
  readonly holder?: string;
}

const ITEM = { id: "1" };
const LAST = { items: [{ id: "2" }] };

async function all(items: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
}

async function one(items: AsyncIterable<{ readonly id: string }>): Promise<unknown> {
  for await (const { id } of items) return id;
  return undefined;
}

/** Returns a list whose second page is requested only if the first page has the place. */
const paged = (value: unknown, call: Place["call"]): Place => ({
  first: (way) => ({ items: [ITEM], ...way.place(value) }),
  later: LAST,
  call,
  found: [["1", "2"], 2],
  absent: [["1"], 1],
});

const PLACES: Readonly<Record<string, Place>> = {
  field: {
    first: (way) => way.place("x"),
    call: async (client) => (await client.getField({})).value,
    found: ["x", 1],
    absent: ["", 1],
  },
  discriminator: {
    first: (way) => ({ ...way.place("one"), one: ITEM }),
    call: async (client) => (await client.getChosen({})).choice.case,
    found: ["one", 1],
    absent: [undefined, 1],
    lostWithout: "one",
  },
  payload: {
    first: (way) => way.place(ITEM),
    call: async (client) => (await client.getPayload({})).id,
    found: ["1", 1],
    absent: ["", 1],
  },
  "items of a page": {
    first: (way) => way.place([ITEM]),
    later: { a: { b: { place: [] } } },
    call: (client) => all(client.listItems({})),
    found: [["1"], 2],
    absent: [[], 1],
  },
  cursor: paged("c", (client) => all(client.listByCursor({}))),
  link: paged("/link?second", (client) => all(client.listByLink({}))),
  "link in an object": paged({ href: "/link?second" }, (client) => all(client.listByLink({}))),
  "condition of more pages": {
    ...paged(true, (client) => all(client.listByMore({}))),
    later: { ...LAST, a: { b: { place: false } } },
    // A page number follows every page with items, so a missing condition may cut off the list.
    lostWithout: "a.b.place",
  },
  "cursor of the last item": {
    ...paged("c", (client) => all(client.listByLastItem({}))),
    first: (way) => ({ items: [{ id: "0" }, { ...ITEM, ...way.place("c") }] }),
    later: { items: [] },
    found: [["0", "1"], 2],
    absent: [["0", "1"], 1],
    // A list that continues from its last item ends only with an empty page.
    lostWithout: "a.b.place",
    holder: "items[1].",
  },
  total: {
    first: (way) => ({ items: [ITEM], ...way.place("1") }),
    later: { items: [] },
    call: (client) => all(client.listByTotal({})),
    found: [["1"], 1],
    absent: [["1"], 2],
  },
  "key of a feed": {
    first: (way) => ({ items: [{ ...ITEM, ...way.place("k") }] }),
    call: (client) => one(client.poll({})),
    found: ["1", 1],
    absent: ["1", 1],
    holder: "items[0].",
  },
  "condition of work": {
    first: (way) => ({ ...ITEM, ...way.place(true) }),
    later: { ...LAST.items[0], a: { b: { place: true } } },
    call: (client) => all(client.work({})),
    found: [["1"], 1],
    absent: [["1", "2"], 2],
  },
};

const CONVERTED_LEAVES: Readonly<Record<string, Departure>> = { total: "converted" };

/** Returns the outcome of a call with these responses. */
async function outcomeOf({ first, later, call }: Place, way: Drawn, strict: boolean) {
  const { client, differences, seen } = await start(
    DeclaredService,
    DeclaredServiceRest,
    (_, index) => ({ json: index === 0 ? first(way) : later }),
    { strict },
  );
  const [outcome] = await Promise.allSettled([call(client)]);
  // A key that only the rule reads may be reported as additional.
  const departures = differences.filter((each) => each.class !== "additional");
  return { outcome, departures, requests: seen.length };
}

test.each(Object.entries(PLACES))(
  "property: the path of a %s accepts the same shapes as a field",
  async (name, place) => {
    await fc.assert(
      fc.asyncProperty(WAY, async (way) => {
        const leaf = way.isFound && CONVERTED_LEAVES[name];
        const { lostWithout } = place;
        const also = way.isFound || lostWithout === undefined ? [] : [[lostWithout, "lost"] as const];
        const wanted = [...way.departures, ...(leaf ? [["a.b.place", leaf] as const] : []), ...also];
        const { outcome, departures, requests } = await outcomeOf(place, way, false);
        // Several rules report differences of one page; their order has no meaning.
        expect(departures.map((each) => `${each.path} ${each.class}`).sort()).toEqual(
          wanted.map(([path, departure]) => `${place.holder ?? ""}${path} ${departure}`).sort(),
        );
        expect([outcome.status === "fulfilled" && outcome.value, requests]).toEqual(
          way.isFound ? place.found : place.absent,
        );
        const strict = await outcomeOf(place, way, true);
        const reason = strict.outcome.status === "rejected" && reasonOf(strict.outcome.reason);
        expect(reason).toBe(wanted.some(([, departure]) => departure === "lost") && "RESPONSE_DRIFT");
      }),
      { numRuns: 60 },
    );
  },
);

const LISTS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "by cursor": (client) => all(client.listByCursor({})),
  "by link": (client) => all(client.listByLink({})),
  "by total": (client) => all(client.listByTotal({})),
};

test.each(Object.entries(LISTS))(
  "property: an object in place of a list of items is the only item if it has a key of an item (%s)",
  async (_, call) => {
    const keys = fc.uniqueArray(fc.constantFrom("id", "ID", "new", "items", "place"), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(keys, async (names) => {
        const item = Object.fromEntries(names.map((name) => [name, "7"]));
        const read = async (items: unknown) => {
          const answers = (_seen: unknown, index: number) => ({ json: { items: index === 0 ? items : [] } });
          const { client, differences } = await start(DeclaredService, DeclaredServiceRest, answers, {
            strict: false,
          });
          const [outcome] = await Promise.allSettled([call(client)]);
          return { outcome, converted: differences.filter((each) => each.class === "converted") };
        };
        const { outcome, converted } = await read(item);
        if (names.includes("id")) {
          expect(outcome).toEqual((await read([item])).outcome);
          expect(converted.map(({ path }) => path)).toEqual(["items"]);
        } else if (names.length > 0) {
          expect(outcome.status === "rejected" && reasonOf(outcome.reason)).toBe("RESPONSE_SHAPE");
        } else {
          expect([outcome.status, converted]).toEqual(["fulfilled", []]);
        }
      }),
      { numRuns: 20 },
    );
  },
);

test("property: the path of an error text accepts the same shapes as a field, without differences", async () => {
  await fc.assert(
    fc.asyncProperty(WAY, async (way) => {
      const { client, differences } = await start(DeclaredService, DeclaredServiceRest, {
        status: 400,
        json: way.place("it broke"),
      });
      const error = ConnectError.from(await client.fail({}).catch((thrown: unknown) => thrown));
      expect([error.rawMessage.includes("it broke"), differences]).toEqual([way.isFound, []]);
    }),
    { numRuns: 60 },
  );
});

/** HTTP statuses in a body: whether the response is an error, and the reported difference. */
const STATUSES: ReadonlyArray<readonly [text: string, isError: boolean, departure?: Departure]> = [
  ...["200", "204", "200.0", "2e2", "null"].map((text) => [text, false] as const),
  ...["404", "404.0", "4.04e2"].map((text) => [text, true] as const),
  ...['"200"', '"200.0"', '""', "false"].map((text) => [text, false, "converted"] as const),
  ['"404"', true],
  ...["0", "7", "-404", "404.5", "600", "1e9", "9007199254740993"].map(
    (text) => [text, false, "lost"] as const,
  ),
  ...['"x"', '"404 Not Found"', '"0x194"', "true", "[]", "[404]", "{}", '{"code":404}'].map(
    (text) => [text, false, "lost"] as const,
  ),
];

test.each(STATUSES)(
  "the status %s in an envelope: error %s, difference %s",
  async (text, isError, departure) => {
    const { client, differences } = await start(
      DeclaredService,
      DeclaredServiceRest,
      (seen) => {
        const [holder, place] = seen.line === "GET /status" ? ["item", ITEM] : ["items", [ITEM]];
        const inner = JSON.stringify({ [holder as string]: place }).slice(1);
        return {
          body: `{"a":{"b":{"place":${text}}},${inner}`,
          headers: { "content-type": "application/json" },
        };
      },
      { strict: false },
    );
    const calls = [() => client.getStatus({}), () => all(client.listWithStatus({}))];
    for (const call of calls) {
      const before = differences.length;
      const [outcome] = await Promise.allSettled([call()]);
      expect(outcome.status).toBe(isError ? "rejected" : "fulfilled");
      expect(differences.slice(before).map((each) => [each.path, each.class])).toEqual(
        departure === undefined ? [] : [["a.b.place", departure]],
      );
    }
  },
);

test("property: the path of the status in an envelope accepts the same shapes as a field", async () => {
  await fc.assert(
    fc.asyncProperty(WAY, async (way) => {
      const { client, differences } = await start(
        DeclaredService,
        DeclaredServiceRest,
        { json: { ...way.place(404), item: ITEM } },
        { strict: false },
      );
      const [outcome] = await Promise.allSettled([client.getStatus({})]);
      expect(outcome.status).toBe(way.isFound ? "rejected" : "fulfilled");
      if (way.isFound) return;
      expect(differences.map((each) => [each.path, each.class])).toEqual(way.departures);
    }),
    { numRuns: 60 },
  );
});
