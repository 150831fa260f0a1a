/** What generated adapters import. */

export { Code } from "@connectrpc/connect";
export {
  type AdapterExtensions,
  type AnyMethodAdapter,
  type DownloadAdapter,
  download,
  type FeedParts,
  type FeedStart,
  type MethodAdapter,
  type NextPage,
  type OperationAdapter,
  operation,
  type PaginateAdapter,
  type PollAdapter,
  paginate,
  poll,
  type RecordsAdapter,
  records,
  type ServiceAdapter,
  type UnaryAdapter,
  type UploadAdapter,
  unary,
  upload,
} from "./adapter/adapter.ts";
export type { DeclaredRules } from "./adapter/default-rules.ts";
export type { BodyPart, PartContent, RestBody, RestRequest } from "./adapter/rest-request.ts";
export type { RestResponse } from "./adapter/rest-response.ts";
export type {
  ApiKeyRule,
  CredentialKind,
  EnvelopeRule,
  ErrorMetadataRule,
  ErrorRule,
  ErrorShape,
  MethodRules,
  OperationRule,
  RateLimitRule,
  ResponseEncoding,
  RetryAfterRule,
} from "./adapter/rules.ts";
export type { ServiceTools, Tool, ToolAnnotations, ToolSchema, ToolsModule } from "./adapter/tools.ts";
export { decodeAny, typesOf } from "./decode/any.ts";
export { type DurationRule, spanJson, spanText } from "./decode/duration.ts";
export { decodeEmpty, decodeListValue, decodeStruct, decodeValue } from "./decode/dynamic.ts";
export { EnumTable } from "./decode/enum-table.ts";
export type { MaskTable } from "./decode/mask-table.ts";
export type { OneofMembers } from "./decode/oneof-writer.ts";
export { FieldTable, type ProtoWriter } from "./decode/proto-writer.ts";
export {
  type Condition,
  fromText,
  holds,
  linkTarget,
  ownValue,
  splitCommas,
  splitNumbers,
  wordOf,
} from "./decode/read.ts";
export type { TimeRule } from "./decode/timestamp.ts";
export { isJsonObject, type JsonObject, type JsonValue, jsonTypeOf } from "./json/json.ts";
export { valueAt } from "./json/json-path.ts";
export { wireNumber } from "./json/wire-number.ts";
export { anyJson } from "./request/any-json.ts";
export { cursorBigInt, cursorNumber, cursorTime } from "./request/cursor.ts";
export {
  addUnknown,
  base64,
  base64Url,
  doubleJson,
  durationText,
  type JsonRecord,
  joinCommas,
  joinHeader,
  listJson,
  omit,
  plainJson,
  rawEntries,
  rawText,
  setAll,
  setOwn,
  structJson,
  timeJson,
  timeText,
  valueJson,
} from "./request/encode.ts";
export { fieldMaskText, objectAt, sendUnset } from "./request/field-mask.ts";
export { heartbeatMs } from "./request/heartbeat-ms.ts";
export type { ListStyle, ParameterValue } from "./request/parameters.ts";
export { fits, noBinding, pathPattern } from "./request/path-pattern.ts";
export { type PathValue, pathSegment, pathSegments } from "./request/path-segment.ts";
export { type BytesPart, RequestWriter } from "./request/request-writer.ts";
export { writeHttpBody } from "./response/http-body.ts";
export { type ScanEntry, type ScanField, type ScanTable, scannable } from "./scan/scan-table.ts";
