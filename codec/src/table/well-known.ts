/** The tables of messages that JSON writes in a way of their own: both interpreters know them. */
import type { Registry } from "@bufbuild/protobuf";
import { type MessageTable, table } from "./message-table.ts";

/** google.protobuf.Struct: any object. */
export const StructTable: MessageTable = table("google.protobuf.Struct", () => []);

/** google.protobuf.Value: any JSON, null as well. */
export const ValueTable: MessageTable = table("google.protobuf.Value", () => []);

/** google.protobuf.ListValue: any array. */
export const ListValueTable: MessageTable = table("google.protobuf.ListValue", () => []);

/** google.protobuf.Empty: nothing is read. */
export const EmptyTable: MessageTable = table("google.protobuf.Empty", () => []);

/** google.protobuf.Any of these types. */
export function anyTable(types: () => Registry): MessageTable {
  return table("google.protobuf.Any", () => [{ any: types }]);
}
