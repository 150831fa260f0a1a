import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { type CodeGeneratorResponse, CodeGeneratorResponseSchema } from "@bufbuild/protobuf/wkt";
import { applyInsertions, DIFFERENCES, InsertionError, REFUSED } from "protoc-gen-connect-rest/kit";
import { afterAll, describe, expect, test } from "vitest";
import { CASES, type Case, type Entry } from "./cases.ts";
import { type CompilerName, hasProtoc, NO_PROTOC, type Outcome, runBuf, runProtoc } from "./compilers.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const folder = mkdtempSync(join(tmpdir(), "insertions-"));
afterAll(() => rmSync(folder, { recursive: true }));

function responseOf(entries: readonly Entry[]): CodeGeneratorResponse {
  return create(CodeGeneratorResponseSchema, { supportedFeatures: 1n, file: entries.map(fileOf) });
}

function fileOf({ annotations, ...entry }: Entry) {
  if (annotations === undefined) return entry;
  const annotation = annotations.map(([begin, end], index) => ({ path: [4, index], begin, end }));
  return { ...entry, generatedCodeInfo: { annotation } };
}

function applied({ responses }: Case, dialect: CompilerName): Record<string, Buffer> | InsertionError {
  const outputs = responses.map((entries, index) => ({
    generator: `g${index}`,
    response: responseOf(entries),
  }));
  try {
    const files = applyInsertions(outputs, { dialect });
    return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content)]));
  } catch (error) {
    if (error instanceof InsertionError) return error;
    throw error;
  }
}

let count = 0;
const outcomes = new Map<string, Promise<Outcome>>();

/** Runs a compiler once, for both tests that check its outcome. */
function compiled(item: Case, compiler: CompilerName): Promise<Outcome> {
  const key = `${compiler} ${item.name}`;
  const known = outcomes.get(key) ?? compile(item, compiler);
  outcomes.set(key, known);
  return known;
}

async function compile({ responses }: Case, compiler: CompilerName): Promise<Outcome> {
  const plugins = responses.map((entries) => {
    const response = join(folder, `${count++}.bin`);
    writeFileSync(response, toBinary(CodeGeneratorResponseSchema, responseOf(entries)));
    return { path: join(FIXTURES, "protoc-gen-replay.ts"), parameter: `replay:${response};` };
  });
  if (compiler === "protoc") return await runProtoc(plugins, [FIXTURES], ["empty.proto"]);
  return await runBuf(plugins, [`  - directory: ${JSON.stringify(FIXTURES)}`]);
}

/**
 * Returns the outcome without the wording of errors, and without the final line feed unless the case is about
 * it.
 */
function essence(outcome: Outcome, { differs }: Case): unknown {
  if (outcome.error !== undefined) return "failed";
  const strip = differs === "finalNewline" ? /$^/ : /\n$/;
  return Object.fromEntries(
    Object.entries(outcome.files).map(([path, content]) => [
      path,
      content.toString("latin1").replace(strip, ""),
    ]),
  );
}

function expectSame(outcome: Outcome, ours: Record<string, Buffer> | InsertionError): void {
  if (outcome.error !== undefined) {
    expect(ours).toBeInstanceOf(InsertionError);
  } else {
    expect(ours instanceof InsertionError ? ours : legible(ours)).toEqual(legible(outcome.files));
  }
}

/** Returns files as text, one character per byte, so that a failure is readable. */
function legible(files: Readonly<Record<string, Buffer>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytes.toString("latin1")]));
}

/**
 * Checks that the applier rejects a response that the compiler accepts. If the compiler rejects it too, the
 * list is out of date.
 */
function expectRejected(outcome: Outcome, ours: Record<string, Buffer> | InsertionError): void {
  expect(outcome.error).toBe(undefined);
  expect(ours).toBeInstanceOf(InsertionError);
}

async function check(item: Case, compiler: CompilerName): Promise<Outcome> {
  const outcome = await compiled(item, compiler);
  const ours = applied(item, compiler);
  if (item.rejected?.[compiler] === undefined) {
    expectSame(outcome, ours);
  } else {
    expectRejected(outcome, ours);
  }
  return outcome;
}

describe.concurrent("the applier gives the same result as buf", () => {
  test.for(CASES)("$name", async (item) => {
    await check(item, "buf");
  });
});

describe.concurrent("the applier gives the same result as protoc, and protoc and buf differ only as listed", () => {
  test.for(CASES)("$name", async (item, { skip }) => {
    skip(!hasProtoc, NO_PROTOC);
    const protoc = await check(item, "protoc");
    const buf = await compiled(item, "buf");
    const same = item.differs === undefined && item.rejected?.protoc === item.rejected?.buf;
    if (same) expect(essence(protoc, item)).toEqual(essence(buf, item));
    if (item.differs !== undefined) expect(essence(protoc, item)).not.toEqual(essence(buf, item));
  });
});

test("every listed difference and rejection has a case", () => {
  expect(new Set(CASES.flatMap(({ differs }) => differs ?? []))).toEqual(new Set(Object.keys(DIFFERENCES)));
  const rejected = CASES.flatMap((item) => Object.values(item.rejected ?? {}));
  expect(new Set(rejected)).toEqual(new Set(Object.keys(REFUSED)));
});
