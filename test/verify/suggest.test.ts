/** Removes fields from descriptions, and expects that recordings of the sandbox bring them back. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  getOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareDryRun } from "../../gateway/src/config/inspect.ts";
import { type Block, readSource } from "../../gateway/src/suggest/proto-source.ts";
import { messagesBelow } from "../../gateway/src/verify/object-fields.ts";
import { field as fieldRules } from "../../runtime/src/gen/connectrest/v1/annotations_pb.ts";
import { compileRequest } from "../generator-kit/compile.ts";
import { compared, Projects, type Sources, suggested } from "./described.ts";
import { type HarEntry, ORIGIN, recordExamples } from "./har.ts";

/** The samples with different values from which on a type must be recognized. */
const ENOUGH = 5;
/** The share of fields whose types must be recognized. */
const ENOUGH_SHARE = 0.95;
/** The number of fields that are removed together. */
const FIELDS = 60;

const config = readFileSync("connect-rest.yaml", "utf8")
  .replace("https://api.events.example", `${ORIGIN}/feed`)
  .replace("https://www.blog.example", ORIGIN);
const projects = new Projects(config);
let entries: readonly HarEntry[];
let original: Sources;
/** The fields that may be removed: no rule of a method depends on them. */
let removable: readonly DescField[];

beforeAll(async () => {
  entries = await recordExamples();
  const names = readdirSync("proto", { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.proto$/.test(name),
  );
  const own = names.filter((name) => !name.startsWith("connectrest"));
  original = Object.fromEntries(own.map((name) => [name, readFileSync(join("proto", name), "utf8")]));
  const { adapters } = await prepareDryRun("connect-rest.yaml", {});
  const methods = adapters.flatMap((each) => Object.values(each.methods).map(({ method }) => method));
  const inputs = new Set(messagesBelow(methods.map(({ input }) => input)).keys());
  const outputs = messagesBelow(methods.map(({ output }) => output));
  removable = [...outputs.values()].filter(({ typeName }) => !inputs.has(typeName)).flatMap(plainFields);
}, 120_000);
afterAll(() => projects.remove());

/** Returns the fields of a resource that a response has under their own keys. */
function plainFields(message: DescMessage): readonly DescField[] {
  const isRoot = /^google\.|Response$/.test(message.typeName);
  // a message with one field may be the bare value of that field
  if (isRoot || message.parent !== undefined || message.fields.length < 2) return [];
  return message.fields.filter((field) => {
    const { from, unknown, when } = getOption(field, fieldRules);
    return field.oneof === undefined && from.length === 0 && !unknown && when.length === 0;
  });
}

/** Returns sources without fields and their comments. */
function without(fields: readonly DescField[]): Sources {
  return Object.fromEntries(
    Object.entries(original).map(([name, text]) => {
      const own = fields.filter(({ parent }) => `${parent.file.name}.proto` === name);
      const { blocks, text: source } = readSource(text);
      const spans = own.map((field) => spanOf(source, blocks, field)).toSorted(([a], [b]) => b - a);
      return [name, spans.reduce((rest, [start, end]) => rest.slice(0, start) + rest.slice(end), text)];
    }),
  );
}

function spanOf(
  text: string,
  blocks: readonly Block[],
  { parent, name }: DescField,
): readonly [number, number] {
  const block = blocks.find((each) => each.name === parent.name);
  const member = block?.members.find((each) => each.name === name);
  if (member === undefined) throw new Error(`${parent.typeName}.${name} is not in the source`);
  const lines = text.slice(0, member.start).split("\n").slice(0, -1);
  const comments = lines.toReversed().findIndex((line) => !/^\s*\/\//.test(line));
  const start = lines.slice(0, lines.length - comments).join("\n").length + 1;
  return [start, text.indexOf("\n", member.end) + 1];
}

function fieldsOf(sources: Sources): ReadonlyMap<string, DescField> {
  const { protoFile } = compileRequest(sources);
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: protoFile }));
  const messages = [...registry].filter((each) => each.kind === "message");
  return new Map(messages.flatMap(({ fields }) => fields.map((field) => [keyIn(field), field] as const)));
}

function keyIn(field: DescField): string {
  return `${field.parent.typeName} ${nameIn(field)}`;
}

/** The integer types. The encodings of the integers that they share are the same. */
const INTEGERS: ReadonlySet<unknown> = new Set([
  ScalarType.INT32,
  ScalarType.INT64,
  ScalarType.UINT32,
  ScalarType.UINT64,
]);

/** Reports whether a field has the type that another field had, or a message with the same content. */
function agrees(got: DescField | undefined, had: DescField): boolean {
  if (got === undefined || (got.fieldKind === "map") !== (had.fieldKind === "map")) return false;
  if ((got.fieldKind === "list") !== (had.fieldKind === "list")) return false;
  if (got.message !== undefined && had.message !== undefined) return areAlike(got.message, had.message);
  if (got.enum !== undefined && had.enum !== undefined) return true;
  if (got.scalar === undefined) return false;
  return got.scalar === had.scalar || (INTEGERS.has(got.scalar) && INTEGERS.has(had.scalar));
}

function areAlike(got: DescMessage, had: DescMessage): boolean {
  if (got.typeName === had.typeName) return true;
  // the author of a Struct did not describe its keys
  if (had.typeName === "google.protobuf.Struct") return !got.typeName.startsWith("google.");
  if (/^google\./.test(got.typeName + had.typeName)) return false;
  const keys = new Map(had.fields.map((field) => [nameIn(field), field]));
  const same = got.fields.filter((field) => keys.has(nameIn(field)) && !isUnknown(field));
  const agreeing = same.filter((field) => agrees(field, keys.get(nameIn(field)) as DescField));
  return agreeing.length > 0 && agreeing.length >= ENOUGH_SHARE * same.length;
}

/** Reports whether the recordings contained no value but null. */
function isUnknown(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Value";
}

function nameIn(field: DescField): string {
  return getOption(field, fieldRules).name || field.name;
}

/** Returns the type of a field for messages. */
function typeOf(field: DescField | undefined): string {
  return field === undefined
    ? "nothing"
    : `${field.fieldKind} ${field.message?.name ?? field.enum?.name ?? ScalarType[field.scalar ?? 0]}`;
}

interface Outcome {
  readonly field: DescField;
  /** The number of different values in the recordings. */
  readonly values: number;
  readonly suggested: DescField | undefined;
}

/** Removes fields, and returns the suggested fields. Fields on which rules depend are left out. */
async function roundTrip(removed: readonly DescField[]): Promise<readonly Outcome[]> {
  const sources = without(removed);
  let changed: string;
  try {
    changed = projects.generate(sources);
  } catch (error) {
    const isNamed = ({ parent }: DescField) => new RegExp(`\\b${parent.typeName}\\b`).test(String(error));
    const others = removed.filter((field) => !isNamed(field));
    expect(others.length, String(error)).toBeLessThan(removed.length);
    return await roundTrip(others);
  }
  const { sources: patched, open, samples } = await suggested(changed, entries, sources);
  expect(open).toEqual([]);
  const { findings } = (await compared(projects.generate(patched), entries)).verification;
  expect(findings).toEqual([]);
  const fields = fieldsOf(patched);
  return removed.map((field) => {
    const key = keyIn(field);
    return { field, values: samples.values.get(key)?.size ?? 0, suggested: fields.get(key) };
  });
}

test("removed fields come back with their types, and no difference remains", {
  timeout: 600_000,
}, async () => {
  const order = fc.shuffledSubarray([...removable], { minLength: removable.length });
  const property = fc.asyncProperty(order, async (fields) => {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < fields.length; at += FIELDS) {
      outcomes.push(...(await roundTrip(fields.slice(at, at + FIELDS))));
    }
    const enough = outcomes.filter(({ values }) => values >= ENOUGH);
    const others = enough.filter(({ field, suggested }) => !agrees(suggested, field));
    const listed = others.map(
      ({ field, suggested }) => `${field}: ${typeOf(field)}, suggested ${typeOf(suggested)}`,
    );
    expect(enough.length).toBeGreaterThan(50);
    expect(others.length, listed.join("\n")).toBeLessThanOrEqual((1 - ENOUGH_SHARE) * enough.length);
  });
  await fc.assert(property, { numRuns: 1 });
});
