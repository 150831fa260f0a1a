/** Prints how the response messages of methods are read. */
import type { MethodModel } from "../model/model.ts";
import { responseBody, responseHead } from "../table/response.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { printFunction } from "./function.ts";
import { printField, tableOf } from "./table.ts";

/**
 * Returns the members of an adapter that describe how a response message is read, as lines of an object
 * literal.
 */
export function responseMembers(method: MethodModel, file: AdapterFile): string[] {
  return [...bodyMember(method, file), ...headMember(headLines(method, file))];
}

/** Returns the member for the payload; for a google.api.HttpBody, a function that receives the raw body. */
export function bodyMember(method: MethodModel, file: AdapterFile): string[] {
  const { desc, responseBody: field } = method;
  if (desc.output.typeName === "google.api.HttpBody") {
    return httpBodyMember(`${file.runtimeValue("writeHttpBody")}(response, out);`, file);
  }
  if (field?.fieldKind === "message" && field.message.typeName === "google.api.HttpBody") {
    const write = `${file.runtimeValue("writeHttpBody")}(response, out)`;
    const line = `out.nullable(${field.number}, null, "", (_, out) => ${write});`;
    // a response with a JSON Content-Type has no raw bytes
    return httpBodyMember(`if (response.bytes !== undefined) ${line}`, file);
  }
  const body = responseBody(method, file.types);
  if (body === undefined) return [];
  return [`body: ${"typeName" in body ? tableOf(body, file) : printField(body, file)},`];
}

function httpBodyMember(line: string, file: AdapterFile): string[] {
  return printFunction({
    name: "response",
    parameters: [
      ["response", () => file.runtimeType("RestResponse")],
      ["out", () => file.runtimeType("ProtoWriter")],
    ],
    result: "void",
    lines: [line],
  });
}

/** Returns the fields of a message that come from the head of a response, each as an item of a list. */
export function headLines(method: MethodModel, file: AdapterFile): string[] {
  return responseHead(method, file.types).map((entry) => `${printField(entry, file)},`);
}

/** Returns the list of fields from the head; empty if there are none. */
export function headMember(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["head: [", ...lines.map((line) => `  ${line}`), "],"];
}
