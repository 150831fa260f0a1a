/** Converts JSON to protobuf bytes, driven by tables, and protobuf bytes to ProtoJSON. */

export type { Difference, DifferenceClass, DifferenceCounts, FoundDifferences } from "./decode/difference.ts";
export { JsonTooDeep, WrongShape } from "./decode/shape-writer.ts";
export { type DecodedMessage, decode } from "./decode-bytes.ts";
export { print } from "./print-bytes.ts";
export { EnumTable } from "./table/enum-table.ts";
export type { CountUnit, DurationRule, ScalarKind, TimeRule } from "./table/kinds.ts";
export type { MaskedField, MaskTable } from "./table/mask-table.ts";
export {
  type ChoiceCase,
  type ChoiceEntry,
  type Entry,
  type FieldEntry,
  type Key,
  type Kind,
  MessageTable,
  type TupleEntry,
  table,
  type ValueEntry,
} from "./table/message-table.ts";
export { anyTable, EmptyTable, ListValueTable, StructTable, ValueTable } from "./table/well-known.ts";
