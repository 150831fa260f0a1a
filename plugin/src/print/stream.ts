import { type DescField, ScalarType } from "@bufbuild/protobuf";
import type { MethodModel, NextModel, StreamModel } from "../model/model.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { decoderOf } from "./decoder.ts";
import { typed } from "./erasable.ts";
import { printFunction } from "./function.ts";
import { printLiteral, printString } from "./literal.ts";
import { answerFunction, fromLines, responseMember } from "./response.ts";
import { timeRule } from "./time-rule.ts";

/** What the adapter of a stream has beside its rules and its request, as lines of an object literal. */
export function streamMembers(method: MethodModel, stream: StreamModel, file: AdapterFile): string[] {
  switch (stream.kind) {
    case "paginate":
      return [
        `items: [${stream.items.map(printString).join(", ")}],`,
        ...nextMember(method, stream.next, file),
        `maxPages: ${stream.maxPages},`,
        itemMember(method, file),
      ];
    case "poll":
      return [
        `items: ${printString(stream.items)},`,
        `key: ${printString(stream.key)},`,
        ...(stream.intervalHeader === "" ? [] : [`intervalHeader: ${printString(stream.intervalHeader)},`]),
        `intervalMs: ${stream.intervalMs},`,
        `skipBacklog: ${stream.skipBacklog},`,
        itemMember(method, file),
      ];
    case "records":
      return [...recordsMembers(stream), itemMember(method, file)];
    case "download":
      return downloadMembers(method, stream.chunk, file);
    case "upload":
      return [...uploadMembers(method, stream, file), ...responseMember(method, file)];
  }
}

function recordsMembers(stream: Extract<StreamModel, { kind: "records" }>): string[] {
  const { format, event, id, data, text, end, last, idleMs } = stream;
  return [
    `format: ${printString(format)},`,
    ...Object.entries({ event, id, data })
      .filter(([, key]) => key !== "")
      .map(([name, key]) => `${name}: ${printString(key)},`),
    ...(text ? ["text: true,"] : []),
    `end: ${printLiteral(end)},`,
    ...(last === undefined ? [] : [`last: ${printLiteral(last)},`]),
    ...(idleMs === undefined ? [] : [`idleMs: ${idleMs},`]),
  ];
}

function itemMember(method: MethodModel, file: AdapterFile): string {
  return `item: ${decoderOf(method.desc.output, file)},`;
}

function nextMember(method: MethodModel, next: NextModel, file: AdapterFile): string[] {
  switch (next.kind) {
    case "link":
      return [`next: { kind: "link", path: ${printString(next.path)}${linkQuery(next)} },`];
    case "link_header":
      return [`next: { kind: "link_header", rel: ${printString(next.rel)} },`];
    case "step":
      return [
        "next: {",
        '  kind: "step",',
        `  by: ${printString(next.by)},`,
        `  advance: (message${typed(file.messageType(method.desc.input))}, by) => ({ ...message, ${stepValue(next)} }),`,
        "},",
      ];
    case "cursor":
      return [
        "next: {",
        '  kind: "cursor",',
        `  from: ${printString(next.from)},`,
        `  path: ${printString(next.path)},`,
        `  advance: (message${typed(file.messageType(method.desc.input))}, value) => ({ ...message, ${cursorValue(next.field, file)} }),`,
        "},",
      ];
  }
}

function linkQuery({ query }: Extract<NextModel, { kind: "link" }>): string {
  return query === "" ? "" : `, query: ${printString(query)}`;
}

function stepValue({ by, field }: Extract<NextModel, { kind: "step" }>): string {
  const { optional: expression } = access([field]);
  const isBig = field.fieldKind === "scalar" && isBigInteger(field.scalar);
  const start = by === "page" ? (isBig ? "1n" : "1") : isBig ? "0n" : "0";
  // a page number of 0 in a field without presence means that the caller set none
  const current = by === "page" ? `(${expression} || ${start})` : `(${expression} ?? ${start})`;
  return assign(field, `${current} + ${isBig ? "BigInt(by)" : "by"}`);
}

function cursorValue(field: DescField, file: AdapterFile): string {
  if (field.fieldKind === "message")
    return assign(field, `${file.runtimeValue("cursorTime")}(value, ${timeRule(field)})`);
  if (field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING) {
    return assign(
      field,
      `${file.runtimeValue(isBigInteger(field.scalar) ? "cursorBigInt" : "cursorNumber")}(value)`,
    );
  }
  return assign(field, "String(value)");
}

/** A property of the request that sets a field, also where it stands in a oneof. */
function assign(field: DescField, value: string): string {
  if (field.oneof === undefined) return `${field.localName}: ${value}`;
  return `${field.oneof.localName}: { case: ${printString(field.localName)}, value: ${value} }`;
}

function isBigInteger(scalar: ScalarType): boolean {
  return [
    ScalarType.INT64,
    ScalarType.UINT64,
    ScalarType.SINT64,
    ScalarType.FIXED64,
    ScalarType.SFIXED64,
  ].includes(scalar);
}

function downloadMembers(method: MethodModel, chunk: DescField, file: AdapterFile): string[] {
  return [
    ...answerFunction("head", fromLines(method.desc.output, file), file),
    ...printFunction({
      name: "chunk",
      parameters: [
        ["bytes", "Uint8Array"],
        ["out", file.runtimeType("ProtoWriter")],
      ],
      result: "void",
      lines: [`out.rawBytes(${chunk.number}, bytes);`],
    }),
  ];
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
  return [
    `chunk: (message${typed(input)}) => ${chunkValue},`,
    `stream: (${contentType === undefined && typeof part !== "object" && filename === undefined ? "_" : ""}message${typed(input)}) => ({`,
    `  contentType: ${type}"application/octet-stream",`,
    ...(part === undefined
      ? []
      : [`  part: ${typeof part === "string" ? printString(part) : `${read(part)} ?? ""`},`]),
    ...(filename === undefined ? [] : [`  filename: ${read(filename)} ?? "",`]),
    "}),",
  ];
}
