/**
 * The parts of the codec that other packages of this project use. They are not a public API and may change in
 * any release.
 */

export type { BufferPool } from "./buffers/buffer-pool.ts";
export { ChunkBuffer } from "./buffers/chunk-buffer.ts";
export { pool } from "./buffers/pool.ts";
export { Budget, TooComplex, TooCostly, VALUE_COST } from "./cost/budget.ts";
export { checkJsonCost, checkJsonCostInPieces } from "./cost/json-cost.ts";
export { MESSAGE_COST, spendJson } from "./cost/message-cost.ts";
export { smallJson } from "./cost/small-json.ts";
export { spendWire } from "./cost/wire-cost.ts";
export { plainJson, typeNameOf } from "./decode/any.ts";
export {
  DIFFERENCE_CLASSES,
  type Difference,
  type DifferenceClass,
  type DifferenceCounts,
  type DifferenceLevel,
  type DifferenceLevels,
  type FoundDifferences,
  NO_DIFFERENCES,
} from "./decode/difference.ts";
export type { Field } from "./decode/difference-writer.ts";
export {
  countText,
  durationFrom,
  MAX_SPAN_SECONDS,
  NANOS_PER_SECOND,
  spanText,
  UNIT_DIGITS,
} from "./decode/duration.ts";
export { firstOf, type ReadField } from "./decode/field-reader.ts";
export { isScalarKind } from "./decode/kind-writer.ts";
export { KnownPaths } from "./decode/known-paths.ts";
export { knownTypes, typed, typesOfFiles, withTypes } from "./decode/known-types.ts";
export { valueWriter, writePayload } from "./decode/payload.ts";
export { type ItemParts, ProtoWriter } from "./decode/proto-writer.ts";
export {
  type Condition,
  comparesRounded,
  fromText,
  hasBrokenLinks,
  holds,
  holdsExactly,
  linkTarget,
} from "./decode/read.ts";
export { booleanFrom, bytesFromBase64, integerFromText, numberFromText } from "./decode/scalar.ts";
export { joined, joinedDifferences, MAX_KEPT, sequence } from "./decode/segment.ts";
export { JsonTooDeep, WrongShape } from "./decode/shape-writer.ts";
export { readingOf } from "./decode/table-decoder.ts";
export { instantFrom, MAX_SECONDS, MIN_SECONDS } from "./decode/timestamp.ts";
export { departureOf, objectIn } from "./json/departure.ts";
export { hasEscapedKey, isKey, stringsOf } from "./json/escaped-keys.ts";
export {
  areEqual,
  type ExactDecimal,
  exactDecimal,
  isInteger,
  lengthOf,
  MAX_DIGITS,
  plainDigits,
} from "./json/exact-decimal.ts";
export {
  exactNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonTypeOf,
  ownValue,
} from "./json/json.ts";
export { type Misstep, type OnMisstep, valueAt } from "./json/json-path.ts";
export { endOfString } from "./json/json-text.ts";
export { NumberText } from "./json/number-text.ts";
export {
  parseJson,
  parseJsonExactly,
  parseJsonExactlyInPieces,
  parseJsonInPieces,
  parseJsonVerbatim,
  parseJsonVerbatimInPieces,
} from "./json/parse-json.ts";
export {
  declaredText,
  joinedPath,
  type ReportedStep,
  reportedSteps,
  stepsOf,
  stepText,
} from "./json/path-text.ts";
export { rawJson } from "./json/raw-json.ts";
export { stringifyJson } from "./json/stringify-json.ts";
export { wireDecimal, wireNumber } from "./json/wire-number.ts";
export { type PrintOptions, printJson, printJsonInParts } from "./print/print-json.ts";
export { type WasmPrinter, wasmPrinter } from "./print/wasm-printer.ts";
export { type ScannedPage, type Scanner, type ScanPlan, scanner } from "./scan/scanner.ts";
export type { Envelope } from "./scan/tables.ts";
export { EnumTable } from "./table/enum-table.ts";
export { hasKeyOf, knownKeys, readsKey } from "./table/keys.ts";
export type { CountUnit, DurationRule, ScalarKind, TimeRule } from "./table/kinds.ts";
export { declaredPath, type MaskedField, type MaskTable } from "./table/mask-table.ts";
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
export { type Clock, fraction, MAX_DELAY_MS, systemClock } from "./time/clock.ts";
export { nextTurn } from "./time/event-loop.ts";
export { LARGE_WORK } from "./time/large-work.ts";
export { TurnBudget } from "./time/turn-budget.ts";
export { inTurns, type TurnOptions, type Work } from "./time/work.ts";
