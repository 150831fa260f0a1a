import { expect, test } from "vitest";
import { importDocument } from "../../import/src/import.ts";
import type { Json } from "../../import/src/json.ts";
import { Reader } from "../../import/src/load/reader.ts";

/** The sizes of the compared documents. Quadratic costs would grow by the square of their ratio. */
const [SMALL, LARGE] = [4000, 32_000];
/** The maximum growth of the processor time for eight times the size; 64 if the costs are quadratic. */
const MAX_GROWTH = 28;

function bodyOf(schema: Json): Json {
  return { responses: { 200: { description: "", content: { "application/json": { schema } } } } };
}

function keys(size: number, name: (index: number) => string): string[] {
  return Array.from({ length: size }, (_, index) => name(index));
}

function entries(size: number, value: (index: number) => Json): Json {
  return Object.fromEntries(keys(size, String).map((key, index) => [`p${key}`, value(index)]));
}

/** Documents of a size, by the part that is large. */
const DOCUMENTS: Readonly<Record<string, (size: number) => Json>> = {
  "enum values": (size) => ({
    "/a": { get: bodyOf({ type: "string", enum: keys(size, (each) => `v${each}`) }) },
  }),
  "enum values with the same name": (size) => ({
    "/a": {
      get: bodyOf({
        type: "string",
        enum: keys(size, (each) => `v${each.toString(2).replaceAll("0", "-").replaceAll("1", ".")}`),
      }),
    },
  }),
  properties: (size) => ({
    "/a": { get: bodyOf({ type: "object", properties: entries(size, () => ({ type: "string" })) }) },
  }),
  paths: (size) =>
    Object.fromEntries(
      keys(size / 4, (each) => `/p${each}/{id}`).map((path) => [path, { get: bodyOf({ type: "string" }) }]),
    ),
  "paths of one service": (size) =>
    Object.fromEntries(
      keys(size / 4, (each) => `/p${each}`).map((path) => {
        return [path, { get: { tags: ["one"], operationId: "same", ...Object(bodyOf({ type: "string" })) } }];
      }),
    ),
};

async function costOf(paths: Json): Promise<number> {
  const value: Json = { openapi: "3.1.0", info: { title: "Large" }, paths };
  const before = process.cpuUsage();
  await importDocument({ name: "", url: undefined, value }, new Reader(undefined, false));
  return process.cpuUsage(before).user;
}

test.each(Object.keys(DOCUMENTS))(
  "the cost of an import grows in proportion to the number of %s",
  async (part) => {
    const paths = DOCUMENTS[part] ?? (() => ({}));
    // compiles the code before the measurement
    await costOf(paths(SMALL));
    const small = Math.min(await costOf(paths(SMALL)), await costOf(paths(SMALL)));
    expect((await costOf(paths(LARGE))) / small).toBeLessThan(MAX_GROWTH);
  },
);
