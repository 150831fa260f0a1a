/**
 * Checks, for every kind of field in every place of a request, that an upstream can distinguish the requests
 * of different messages, or that one of the messages gets INVALID_ARGUMENT.
 */
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { BadRequestSchema } from "../../runtime/src/gen/google/rpc/error_details_pb.ts";
import { type Cell, cellsOf, filesOf, PLACES, serviceOf } from "./cells.ts";
import { edgeMessage } from "./edge-messages.ts";
import { type Loaded, loadAdapters, problemsOf } from "./load-adapters.ts";
import { meaningOf } from "./meaning.ts";
import { type Reading, readRequest } from "./read-request.ts";

/** A pattern for problems that report a type as unsupported in a place. */
const UNSUPPORTED =
  /: (?:no-effect|query-[a-z-]+|time-type|unwrap-type|unwrapped-request|tuple-request|in-type|part-type|part-where|style-type|encoding-lines|path-[a-z-]+|nothing-to-place|unused-[a-z-]+|body-[a-z-]+): /;

type Adapter = UnaryAdapter<DescMessage, DescMessage>;

/**
 * Returns the request as an upstream reads it, or undefined if the message is rejected with the name of a
 * field.
 */
async function readingOf(adapter: Adapter, message: Message, reading: Reading): Promise<string | undefined> {
  try {
    return await readRequest(adapter.request(message), reading);
  } catch (error) {
    if (!(error instanceof ConnectError) && (error as Error).name !== "ConnectError") throw error;
    const rejected = loaded.located(error as ConnectError, adapter.method.input, message);
    expect(rejected.code, rejected.message).toBe(Code.InvalidArgument);
    const [details] = rejected.findDetails(BadRequestSchema);
    const [step] = details?.fieldViolations[0]?.field.split(/[.[]/) ?? [];
    expect(fieldNames(adapter.method.input), rejected.message).toContain(step);
    return undefined;
  }
}

/** Returns the field names of a request, including the fields that flattened oneof members add. */
function fieldNames({ fields }: DescMessage): string[] {
  return fields.flatMap(({ name, oneof, message }) => [
    name,
    ...(oneof === undefined ? [] : (message?.fields ?? []).map((field) => field.name)),
  ]);
}

async function expectDistinct(cell: Cell, adapter: Adapter, messages: readonly Message[]): Promise<void> {
  const byReading = new Map<string, string>();
  const { input } = adapter.method;
  for (const message of messages) {
    const reading = await readingOf(adapter, message, cell.reading);
    if (reading === undefined) continue;
    const meaning = meaningOf(input, message, { isFlat: cell.place.isFlat === true });
    const other = byReading.get(reading);
    expect(meaning, `${cell.title}: both are read as ${reading}`).toBe(other ?? meaning);
    byReading.set(reading, meaning);
  }
}

const cells = Object.entries(PLACES).flatMap(([name, place]) => cellsOf(name, place));
let supported: readonly Cell[];
let loaded: Loaded;

beforeAll(async () => {
  const problems = problemsOf(filesOf(cells));
  expect(problems.filter((problem) => !UNSUPPORTED.test(problem))).toEqual([]);
  const services = new Set(problems.flatMap((problem) => serviceOf(problem, cells) ?? []));
  supported = cells.filter(({ service }) => !services.has(service));
  loaded = await loadAdapters(filesOf(supported));
}, 120_000);

test.each(Object.entries(PLACES))(
  "%s",
  async (_name, place) => {
    const here = supported.filter((cell) => cell.place === place);
    expect(here.length).toBeGreaterThan(3);
    for (const cell of here) {
      const adapter = loaded.adapters.get(cell.service)?.methods.send as unknown as Adapter;
      const messages = fc.array(edgeMessage(adapter.method.input), { minLength: 2, maxLength: 40 });
      const property = fc.asyncProperty(messages, (each) => expectDistinct(cell, adapter, each));
      await fc.assert(property, { numRuns: 15 });
    }
  },
  120_000,
);
