/** The tables of messages with a special JSON form, which both interpreters implement directly. */
import type { Registry } from "@bufbuild/protobuf";
import { type MessageTable, table } from "./message-table.ts";

/** google.protobuf.Struct: any object. */
export const StructTable: MessageTable = table("google.protobuf.Struct", () => []);

/** google.protobuf.Value: any JSON, including null. */
export const ValueTable: MessageTable = table("google.protobuf.Value", () => []);

/** google.protobuf.ListValue: any array. */
export const ListValueTable: MessageTable = table("google.protobuf.ListValue", () => []);

/** google.protobuf.Empty, which has no content. */
export const EmptyTable: MessageTable = table("google.protobuf.Empty", () => []);

/** Returns the table of google.protobuf.Any with the given types. */
export function anyTable(types: () => Registry): MessageTable {
  return table("google.protobuf.Any", () => [{ any: types }]);
}
