/**
 * `npm run bench -- import`: the time and memory of connect-rest-import, by the size of the document. Each
 * import is a separate process.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { wholeIn } from "./options.ts";
import { progress } from "./progress.ts";
import { type Figure, figureLines, holds } from "./reliability/figure.ts";
import { median } from "./statistics.ts";
import { type Usage, usageOf } from "./usage.ts";

const PROGRAM = join(import.meta.dirname, "../import/src/bin.ts");
const HELP = `Usage: npm run bench -- import [options]

  --rounds <n>  imports of each document, in turn (default 3); medians are printed
`;

/** The numbers of operations in the generated documents. */
const SIZES = [10, 100, 1000, 3000] as const;

/** The maximum memory of the import of the largest document, in MB. */
const MOST_MEMORY = 2000;

/** The maximum cost of an operation after the first 1,000, relative to operations 101 to 1,000. */
const MOST_GROWTH = 1.5;

/**
 * Runs `npm run bench -- import`. Returns the text to print, and whether the figures are within their bounds.
 */
export async function benchImport(args: readonly string[]): Promise<{ text: string; holds: boolean }> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: "string", default: "3" }, help: { type: "boolean", default: false } },
  });
  if (values.help) return { text: HELP, holds: true };
  const rounds = wholeIn("--rounds", values.rounds, 1);
  const folder = mkdtempSync(join(tmpdir(), "connect-rest-bench-import-"));
  try {
    return await measure(folder, rounds);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(folder: string, rounds: number): Promise<{ text: string; holds: boolean }> {
  const usages = new Map<number, Usage[]>(SIZES.map((size) => [size, []]));
  for (const size of SIZES) writeFileSync(join(folder, `${size}.json`), JSON.stringify(documentOf(size)));
  for (let round = 0; round < rounds; round++) {
    for (const size of SIZES) {
      progress(`round ${round + 1} of ${rounds}: ${size} operations`);
      const args = [join(folder, `${size}.json`), "--output", join(folder, `${size}-${round}`)];
      usages.get(size)?.push(await usageOf([PROGRAM, ...args]));
    }
  }
  const of = (size: number, pick: (usage: Usage) => number) => median((usages.get(size) ?? []).map(pick));
  const lines = SIZES.map((size) => {
    const [cpu, memory] = [of(size, ({ cpuMs }) => cpuMs), of(size, ({ rssMb }) => rssMb)];
    const each = (cpu - of(SIZES[0], ({ cpuMs }) => cpuMs)) / (size - SIZES[0]);
    const share = size === SIZES[0] ? "" : `   ${each.toFixed(2)} ms for each additional operation`;
    return `${String(size).padStart(5)} operations ${cpu.toFixed(0).padStart(7)} ms CPU ${memory.toFixed(0).padStart(6)} MB${share}`;
  });
  const figures = figuresOf(of);
  return { text: `${lines.join("\n")}\n\n${figureLines(figures)}`, holds: figures.every(holds) };
}

function figuresOf(of: (size: number, pick: (usage: Usage) => number) => number): Figure[] {
  const cpu = (size: number) => of(size, ({ cpuMs }) => cpuMs);
  const [, small, large, largest] = SIZES;
  const growth =
    (cpu(largest) - cpu(large)) / (largest - large) / ((cpu(large) - cpu(small)) / (large - small));
  const memory = of(largest, ({ rssMb }) => rssMb);
  return [
    {
      name: "cost of an operation after the first 1,000, relative to operations 101 to 1,000",
      unit: "x",
      value: growth,
      bound: { atMost: MOST_GROWTH },
    },
    { name: `memory for ${largest} operations`, unit: "MB", value: memory, bound: { atMost: MOST_MEMORY } },
  ];
}

/** The number of operations of one resource. */
const OF_RESOURCE = 5;

/** Returns a document with the usual operations of resources, whose schemas refer to each other. */
function documentOf(operations: number): object {
  const resources = Array.from({ length: operations / OF_RESOURCE }, (_, index) => index);
  return {
    openapi: "3.0.3",
    info: { title: "Bench", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(resources.map((index) => [`Thing${index}`, schemaOf(index)])) },
  };
}

function pathsOf(index: number): (readonly [string, object])[] {
  const tags = [`group${index % 20}`];
  const thing = { $ref: `#/components/schemas/Thing${index}` };
  const content = (schema: object) => ({ content: { "application/json": { schema } } });
  const ok = (schema: object) => ({ 200: { description: "ok", ...content(schema) } });
  const id = { name: "id", in: "path", required: true, schema: { type: "integer", format: "int64" } };
  const page = { name: "page", in: "query", schema: { type: "integer" } };
  return [
    [
      `/things${index}`,
      {
        get: {
          tags,
          operationId: `listThings${index}`,
          parameters: [page],
          responses: ok({ type: "array", items: thing }),
        },
        post: {
          tags,
          operationId: `createThing${index}`,
          requestBody: { required: true, ...content(thing) },
          responses: ok(thing),
        },
      },
    ],
    [
      `/things${index}/{id}`,
      {
        parameters: [id],
        get: { tags, operationId: `getThing${index}`, responses: ok(thing) },
        put: {
          tags,
          operationId: `updateThing${index}`,
          requestBody: { required: true, ...content(thing) },
          responses: ok(thing),
        },
        delete: { tags, operationId: `deleteThing${index}`, responses: { 204: { description: "gone" } } },
      },
    ],
  ];
}

function schemaOf(index: number): object {
  return {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "integer", format: "int64" },
      name: { type: "string", maxLength: 80 },
      state: { type: "string", enum: ["open", "closed"] },
      created_at: { type: "string", format: "date-time", nullable: true },
      tags: { type: "array", items: { type: "string" } },
      owner: { oneOf: [{ type: "string" }, { type: "integer" }] },
      parent: { $ref: `#/components/schemas/Thing${Math.floor(index / 2)}` },
      labels: { type: "object", additionalProperties: { type: "string" } },
    },
  };
}
