import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { BIG_INTEGERS } from "../descriptors/big-integers.ts";
import { messageOf } from "../descriptors/well-known.ts";
import { DEFAULT_STREAM } from "../model/default-rules.ts";
import type { FieldPath, MethodModel, NextModel, OverlapModel, StreamModel } from "../model/model.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { typed } from "./erasable.ts";
import { feedMember } from "./feed.ts";
import { type Literal, printInline, printMillis, printString } from "./literal.ts";
import { headLines, headMember, responseMembers } from "./response.ts";
import { tableOf } from "./table.ts";
import { timeRule } from "./time-rule.ts";

/**
 * Returns the members of the adapter of a stream, except its rules and its request, as lines of an object
 * literal.
 */
export function streamMembers(method: MethodModel, stream: StreamModel, file: AdapterFile): string[] {
  switch (stream.kind) {
    case "paginate":
      return [
        `items: [${stream.items.map(printString).join(", ")}],`,
        ...nextMember(method, stream.next, file),
        ...(stream.more === undefined ? [] : [`more: ${printInline(stream.more)},`]),
        ...(stream.empty.length === 0 ? [] : [`empty: ${printInline(stream.empty)},`]),
        ...knownMember(stream.known),
        ...unlessDefault("maxPages", stream.maxPages),
        ...unlessDefault("maxEmptyPages", stream.maxEmptyPages),
        itemMember(method, file),
      ];
    case "poll":
      return [
        `items: ${printString(stream.items)},`,
        `key: ${printString(stream.key)},`,
        ...(stream.intervalHeader === "" ? [] : [`intervalHeader: ${printString(stream.intervalHeader)},`]),
        `intervalMs: ${printMillis(stream.intervalMs)},`,
        ...unlessDefault("skipBacklog", stream.skipBacklog),
        ...knownMember(stream.known),
        itemMember(method, file, stream.feed?.item),
        ...(stream.feed === undefined ? [] : feedMember(method, stream.feed, file)),
      ];
    case "records":
      return [...recordsMembers(stream), itemMember(method, file)];
    case "operation":
      return responseMembers(method, file);
    case "download":
      return downloadMembers(method, stream.chunk, file);
    case "upload":
      return [...uploadMembers(method, stream, file), ...responseMembers(method, file)];
  }
}

function knownMember(known: readonly string[]): string[] {
  return known.length === 0 ? [] : [`known: ${printInline(known)},`];
}

function recordsMembers(stream: Extract<StreamModel, { kind: "records" }>): string[] {
  const { format, event, id, data, text, ownError, end, last, idleMs } = stream;
  return [
    `format: ${printString(format)},`,
    ...Object.entries({ event, id, data })
      .filter(([, key]) => key !== "")
      .map(([name, key]) => `${name}: ${printString(key)},`),
    ...(text ? ["text: true,"] : []),
    ...(ownError ? ["ownError: true,"] : []),
    ...unlessDefault("end", end),
    ...(last === undefined ? [] : [`last: ${printInline(last)},`]),
    ...(idleMs === undefined ? [] : [`idleMs: ${printMillis(idleMs)},`]),
  ];
}

/** Returns a member, unless its value is the default that the runtime adds. */
function unlessDefault(name: keyof typeof DEFAULT_STREAM, value: Literal): string[] {
  const isDefault = JSON.stringify(value) === JSON.stringify(DEFAULT_STREAM[name]);
  return isDefault ? [] : [`${name}: ${printInline(value)},`];
}

function itemMember({ desc }: MethodModel, file: AdapterFile, item = desc.output): string {
  return `item: ${tableOf(item, file)},`;
}

function nextMember(method: MethodModel, next: NextModel, file: AdapterFile): string[] {
  switch (next.kind) {
    case "link":
      return [
        `next: { kind: "link", path: ${printString(next.path)}${linkQuery(next)}${next.always ? ", always: true" : ""} },`,
      ];
    case "link_header":
      return [`next: { kind: "link_header", rel: ${printString(next.rel)} },`];
    case "step":
      return [
        "next: {",
        '  kind: "step",',
        `  by: ${printString(next.by)},`,
        `  advance: (message${typed(file.messageType(method.desc.input))}, by) => (${assigned(next.field, stepValue(next), file)}),`,
        ...totalLines(method, next, file),
        "},",
      ];
    case "cursor":
      return [
        "next: {",
        '  kind: "cursor",',
        `  from: ${printString(next.from)},`,
        `  paths: [${next.paths.map(printString).join(", ")}],`,
        ...(next.always ? ["  always: true,"] : []),
        ...(isZeroUnset(method, next.field, file) ? ["  zeroIsUnset: true,"] : []),
        ...(next.from !== "header" && isText(next.field) ? ["  isText: true,"] : []),
        ...overlapLines(method, next.overlap, file),
        `  advance: (message${typed(file.messageType(method.desc.input))}, value) => (${assigned(next.field, cursorValue(next.field, file), file)}),`,
        "},",
      ];
  }
}

/** Reports whether 0 in a field means that the caller set no value. */
function isZeroUnset({ rules }: MethodModel, path: FieldPath, file: AdapterFile): boolean {
  const { field } = stepped(path);
  const isNumber = field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING;
  const isSent = rules.json.required === "sent" && file.types.required(field);
  return isNumber && !isSent && field.presence === FeatureSet_FieldPresence.IMPLICIT;
}

function linkQuery({ query }: Extract<NextModel, { kind: "link" }>): string {
  return query === "" ? "" : `, query: ${printString(query)}`;
}

type Step = Extract<NextModel, { kind: "step" }>;

function stepValue({ field: path, first }: Step): string {
  const { field, optional, mayBeUnset } = stepped(path);
  const isBig = field.fieldKind === "scalar" && BIG_INTEGERS.has(field.scalar);
  const by = isBig ? "BigInt(by)" : "by";
  const start = isBig ? `${first}n` : String(first);
  // 0 in a field without presence means that the caller set no value
  if (field.presence === FeatureSet_FieldPresence.IMPLICIT && first !== 0) {
    return `(${optional} || ${start}) + ${by}`;
  }
  return mayBeUnset ? `(${optional} ?? ${start}) + ${by}` : `${optional} + ${by}`;
}

interface Stepped {
  readonly field: DescField;
  readonly optional: string;
  readonly mayBeUnset: boolean;
}

function stepped(path: FieldPath): Stepped {
  const { optional, mayBeUnset } = access(path);
  return { field: path.at(-1) as DescField, optional, mayBeUnset };
}

/**
 * Returns the lines that compare the total in a response with the number of items or pages before the
 * request; no lines if the response has no total.
 */
function totalLines(method: MethodModel, { field: path, first, total }: Step, file: AdapterFile): string[] {
  if (total === undefined) return [];
  const { field, optional, mayBeUnset } = stepped(path);
  const isBig = field.fieldKind === "scalar" && BIG_INTEGERS.has(field.scalar);
  const set = mayBeUnset ? `${optional} ?? ${first}` : optional;
  const inNumbers = isBig ? `Number(${set})` : mayBeUnset && first !== 0 ? `(${set})` : set;
  const before = first === 0 ? inNumbers : `${inNumbers} - ${first}`;
  return [
    `  total: ${printString(total)},`,
    `  before: (message${typed(file.messageType(method.desc.input))}) => ${before},`,
  ];
}

function overlapLines(method: MethodModel, overlap: OverlapModel | undefined, file: AdapterFile): string[] {
  if (overlap === undefined) return [];
  const { key, unit, again, past } = overlap;
  return [
    "  overlap: {",
    `    key: ${printString(key)},`,
    ...(unit === undefined ? [] : [`    unit: ${printString(unit)},`]),
    `    again: ${again},`,
    `    past: ${past},`,
    ...sizeLines(method, overlap, file),
    "  },",
  ];
}

function sizeLines(method: MethodModel, { size, defaultSize }: OverlapModel, file: AdapterFile): string[] {
  if (size === undefined) return defaultSize === 0 ? [] : [`    size: () => ${defaultSize},`];
  const { field, optional } = stepped(size);
  const isBig = field.fieldKind === "scalar" && BIG_INTEGERS.has(field.scalar);
  const set = isBig ? `Number(${optional} ?? 0)` : optional;
  const input = typed(file.messageType(method.desc.input));
  return [`    size: (message${input}) => ${set} || ${defaultSize},`];
}

function isText(path: FieldPath): boolean {
  const { field } = stepped(path);
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function cursorValue(path: FieldPath, file: AdapterFile): string {
  const { field } = stepped(path);
  if (field.fieldKind === "message") {
    return `${file.runtimeValue("cursorTime")}(value, ${timeRule(file.types.field(field).time)})`;
  }
  if (field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING) {
    return `${file.runtimeValue(BIG_INTEGERS.has(field.scalar) ? "cursorBigInt" : "cursorNumber")}(value)`;
  }
  return "String(value)";
}

/** Returns the request with another value at the end of a path. Missing messages in the path are created. */
function assigned(
  [field, ...below]: FieldPath,
  value: string,
  file: AdapterFile,
  holder = "message",
): string {
  const [next, ...rest] = below;
  if (next === undefined) return `{ ...${holder}, ${assign(field, value)} }`;
  const { optional } = access([field], holder);
  const inner = `(${optional} ?? ${file.emptyMessage(messageOf(field) as DescMessage)})`;
  return `{ ...${holder}, ${assign(field, assigned([next, ...rest], value, file, inner))} }`;
}

/** Returns a property of the request that sets a field, which may be a member of a oneof. */
function assign(field: DescField, value: string): string {
  if (field.oneof === undefined) return `${field.localName}: ${value}`;
  return `${field.oneof.localName}: { case: ${printString(field.localName)}, value: ${value} }`;
}

function downloadMembers(method: MethodModel, chunk: DescField, file: AdapterFile): string[] {
  const isHttpBody = method.desc.output.typeName === "google.api.HttpBody";
  const head = isHttpBody ? ['[1, "string", { header: "Content-Type" }],'] : headLines(method, file);
  return [...headMember(head), `chunk: ${chunk.number},`];
}

function uploadMembers(
  method: MethodModel,
  { chunk, contentType, part, filename }: Extract<StreamModel, { kind: "upload" }>,
  file: AdapterFile,
): string[] {
  const input = file.messageType(method.desc.input);
  const read = (field: DescField) => access([field]).optional;
  const type = contentType === undefined ? "" : `${read(contentType)} || `;
  const chunkValue = access([chunk]).mayBeUnset ? `${read(chunk)} ?? new Uint8Array()` : read(chunk);
  const usesMessage = contentType !== undefined || typeof part === "object" || filename !== undefined;
  const members = [
    `contentType: ${type}"application/octet-stream"`,
    ...(part === undefined
      ? []
      : [`part: ${typeof part === "string" ? printString(part) : `${read(part)} ?? ""`}`]),
    ...(filename === undefined ? [] : [`filename: ${read(filename)} ?? ""`]),
  ];
  return [
    `chunk: (message${typed(input)}) => ${chunkValue},`,
    `stream: (${usesMessage ? `message${typed(input)}` : ""}) => ({ ${members.join(", ")} }),`,
  ];
}
