/** Checks that a successful response does not silently contain a key that only rules for errors read. */

import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import type { ErrorRule } from "../../runtime/src/adapter/rules.ts";
import { DeclaredService } from "../gen/rules/v1/declared_pb.ts";
import { DeclaredServiceRest } from "../gen/rules/v1/declared_rest.ts";
import { start } from "./world.ts";

/** The declared keys of a response, and where the other keys are. */
const METHODS = {
  getField: { json: {}, place: "message" },
  getStatus: { json: { item: { id: "1" } }, place: "envelope" },
  listByCursor: { json: { items: [{ id: "1" }] }, place: "page" },
  listWithStatus: { json: { items: [{ id: "1" }] }, place: "envelope" },
} as const;

type Method = keyof typeof METHODS;

/** The key that a rule reads, and the keys of the response. */
const KEYS: ReadonlyArray<readonly [key: string, json: Readonly<Record<string, unknown>>]> = [
  ["errors", { errors: [{ message: "No" }] }],
  ["failure", { failure: "No" }],
  ["failure", { failure: 7 }],
  ["failure.code", { failure: { code: 7 } }],
];

/** The status of a rule, and the status of the response. */
const STATUSES = [
  [400, 200],
  [400, 201],
  [201, 200],
  [200, 201],
  [0, 200],
  [200, 200],
  [201, 201],
] as const;

const CASES = (Object.keys(METHODS) as Method[]).flatMap((method) =>
  KEYS.flatMap(([key, json]) =>
    STATUSES.flatMap(([status, responded]) =>
      [true, false].map((scanner) => ({ method, key, json, status, responded, scanner })),
    ),
  ),
);

/** Returns the differences of a response with keys next to the declared keys. */
async function differencesOf({ method, key, json, status, responded, scanner }: (typeof CASES)[number]) {
  const rule: ErrorRule = { status, body: { key, values: ["another"] }, code: Code.Aborted };
  const own = DeclaredServiceRest.methods[method];
  const adapter = { ...own, rules: { ...own?.rules, errors: [rule] } };
  const { client, differences } = await start(
    DeclaredService,
    {
      ...DeclaredServiceRest,
      methods: { ...DeclaredServiceRest.methods, [method]: adapter },
    } as typeof DeclaredServiceRest,
    { status: responded, json: { ...METHODS[method].json, ...json } },
    { scanner, strict: false },
  );
  const response = client[method]({});
  if (Symbol.asyncIterator in response) {
    for await (const item of response) expect(item.id).toBe("1");
  } else {
    await response;
  }
  return differences;
}

test.each(CASES)(
  "a key of an error rule for $status is reported in a response with $responded unless the rule reads it there: $method $json, scanner $scanner",
  async (each) => {
    const { method, key, status, responded } = each;
    const found = await differencesOf(each);
    const isRead = status === 0 || status === responded;
    const { place } = METHODS[method];
    // a rule does not declare a key of a message, and `errors` of an envelope contains only errors
    const isReported = place === "message" || (place === "envelope" && key === "errors") || !isRead;
    const [first = ""] = key.split(".");
    expect(found.map(({ path }) => path.split(".")[0])).toEqual(isReported ? [first] : []);
  },
);
