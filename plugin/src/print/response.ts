import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { MethodModel } from "../model/model.ts";
import { type SourceModel, unwrappedOneof } from "../model/types.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { decoderOf, valueLine } from "./decoder.ts";
import { printFunction } from "./function.ts";
import { printString } from "./literal.ts";
import { comesFromPaths } from "./read-rules.ts";
import { isLeft, scanField } from "./scan-table.ts";

/** The function that writes a method's response message from the REST response, as lines of an object literal. */
export function responseMember(method: MethodModel, file: AdapterFile): string[] {
  return responseFunction("response", responseLines(method, file), file);
}

/** How the scanner reads a payload, and the lines for fields from the head of a response that stand behind it. */
export interface ScanParts {
  readonly scan: string;
  readonly head: readonly string[];
}

/** What makes a message of a response without its decoder; undefined where only that can. */
export function scanParts(method: MethodModel, file: AdapterFile): ScanParts | undefined {
  const { output } = method.desc;
  const fields = output.fields.filter(
    (field) =>
      hasSources(field, file) &&
      (method.responseBody !== undefined || !comesFromPaths(file.types.field(field))),
  );
  const isInBody = ({ kind }: SourceModel) => kind === "path";
  if (fields.some((field) => file.types.field(field).sources.some(isInBody))) return undefined;
  const scan = scanOf(method, file);
  return scan === undefined ? undefined : { scan, head: fields.map((field) => fromLine(field, file)) };
}

function scanOf(
  { desc: { output }, responseBody, rules }: MethodModel,
  file: AdapterFile,
): string | undefined {
  const scope = { file, decoderOf: (desc: DescMessage) => decoderOf(desc, file) };
  if (responseBody === undefined) {
    const [line = ""] = payloadLines(output, file);
    return line.startsWith("out.root(") ? decoderOf(output, file) : undefined;
  }
  const isHttpBody =
    responseBody.fieldKind === "message" && responseBody.message.typeName === "google.api.HttpBody";
  if (isHttpBody || rules.responseEncoding === "bytes" || isLeft(responseBody, scope)) return undefined;
  return scanField(responseBody, [], scope);
}

/** A function that writes protobuf fields from a response. */
export function responseFunction(name: string, lines: readonly string[], file: AdapterFile): string[] {
  return printFunction({
    name,
    parameters: [
      ["response", () => file.runtimeType("RestResponse")],
      ["out", () => file.runtimeType("ProtoWriter")],
    ],
    result: "void",
    lines,
  });
}

/** The lines that write a method's response message from the REST response. */
export function responseLines(method: MethodModel, file: AdapterFile): string[] {
  const { output } = method.desc;
  const { responseBody } = method;
  if (responseBody === undefined) return [...payloadLines(output, file), ...headLines(output, file)];
  const outer = fromLines(output, file);
  const isHttpBody =
    responseBody.fieldKind === "message" && responseBody.message.typeName === "google.api.HttpBody";
  if (!isHttpBody) return [...bodyLines(responseBody, method, file), ...outer];
  const write = file.runtimeValue("writeHttpBody");
  const line = `out.nullable(${responseBody.number}, null, "", (_, out) => ${write}(response, out));`;
  // a response whose Content-Type says JSON has no bytes
  return [`if (response.bytes !== undefined) ${line}`, ...outer];
}

/** The lines for the field that the payload is; one of type bytes may hold the body as it came. */
function bodyLines(field: DescField, { rules }: MethodModel, file: AdapterFile): string[] {
  const line = valueLine(field, "response.payload", "", file);
  const isBytes = field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
  const raw = `out.rawBytes(${field.number}, response.bytes);`;
  if (isBytes && rules.responseEncoding === "bytes") return [raw];
  return isBytes && rules.responseEncoding === "by_content_type" ? [line, raw] : [line];
}

function payloadLines(output: DescMessage, file: AdapterFile): string[] {
  const inBody = output.fields.filter(
    (field) => !hasSources(field, file) || comesFromPaths(file.types.field(field)),
  );
  if (output.typeName === "google.api.HttpBody") {
    return [`${file.runtimeValue("writeHttpBody")}(response, out);`];
  }
  if (output.typeName === "google.protobuf.Value" || output.typeName === "google.protobuf.ListValue") {
    return [`${file.runtimeValue(`decode${output.name}`)}(response.payload ?? null, out);`];
  }
  if (inBody.length === 0) return [];
  if (unwrappedOneof(output, file.types) !== undefined) {
    return [`out.value(response.payload, ${decoderOf(output, file)});`];
  }
  return [`out.root(response.payload, ${decoderOf(output, file)});`];
}

/** The lines for the fields of a message that come from a header, the status or a place in the payload. */
function fromLines(output: DescMessage, file: AdapterFile): string[] {
  return output.fields.filter((field) => hasSources(field, file)).map((field) => fromLine(field, file));
}

/** The same without those that the decoder of the message finds itself. */
export function headLines(output: DescMessage, file: AdapterFile): string[] {
  return output.fields
    .filter((field) => hasSources(field, file) && !comesFromPaths(file.types.field(field)))
    .map((field) => fromLine(field, file));
}

function hasSources(field: DescField, file: AdapterFile): boolean {
  return file.types.field(field).sources.length > 0;
}

/** A field that comes from a header, the status or a place in the payload. */
function fromLine(field: DescField, file: AdapterFile): string {
  const { sources } = file.types.field(field);
  const value = sources.map((source) => sourceExpression(source, field, file)).join(" ?? ");
  const key = sources.map(sourceName).join(" or ");
  return valueLine(field, value, key, file);
}

/** What a difference is reported by: a header, the path of a value, or `status`. */
function sourceName(source: SourceModel): string {
  if (source.kind === "header") return source.header;
  return source.kind === "path" ? source.path : source.kind;
}

function sourceExpression(source: SourceModel, field: DescField, file: AdapterFile): string {
  switch (source.kind) {
    case "header": {
      const header = `response.header(${printString(source.header.toLowerCase())})`;
      const { rel } = source;
      if (rel === "" && isNumberOrBool(field)) return `${file.runtimeValue("fromText")}(${header})`;
      return rel === "" ? header : `${file.runtimeValue("linkTarget")}(${header}, ${printString(rel)})`;
    }
    case "status":
      return field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL
        ? `response.status === ${source.status}`
        : "response.status";
    case "path":
      return `${file.runtimeValue("valueAt")}(response.payload, ${printString(source.path)})`;
    default:
      throw new Error(`${field} has a source without a place`);
  }
}

function isNumberOrBool(field: DescField): boolean {
  return (
    field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES
  );
}
