/** The API of the runtime that generated adapters import. */

export { Code } from "@connectrpc/connect";
export type { Kind, MaskTable, TimeRule } from "connect-rest-codec/internal";
export {
  anyTable,
  type Condition,
  type DurationRule,
  EmptyTable,
  EnumTable,
  type FieldEntry,
  type JsonObject,
  type JsonValue,
  ListValueTable,
  MessageTable,
  type ProtoWriter,
  StructTable,
  stringifyJson,
  table,
  ValueTable,
  wireNumber,
} from "connect-rest-codec/internal";
export {
  type AdapterExtensions,
  type AnyMethodAdapter,
  type CommentsModule,
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
export type { HeadEntry, HeadSource, ResponseParts } from "./adapter/response-parts.ts";
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
export { typesOf } from "./errors/known-types.ts";
export { anyJson } from "./request/any-json.ts";
export { listJson, plainJson, structJson, valueJson } from "./request/any-value.ts";
export { cursorBigInt, cursorNumber, cursorTime } from "./request/cursor.ts";
export {
  addUnknown,
  base64,
  base64Url,
  checkFallback,
  doubleJson,
  type JsonRecord,
  memberOfTypes,
  memberText,
  noMember,
  omit,
  rawEntries,
  rawText,
  setAll,
  setDiscriminator,
  setFallback,
  setMember,
  setOwn,
  tupleJson,
} from "./request/encode.ts";
export { enumJson, enumText } from "./request/enum-text.ts";
export { fieldMaskText, objectAt, sendUnset } from "./request/field-mask.ts";
export { asciiJson, joinHeader, percentValue } from "./request/header-value.ts";
export { heartbeatMs } from "./request/heartbeat-ms.ts";
export { joinCommas, type ListStyle, type ParameterValue } from "./request/parameters.ts";
export { pathParts } from "./request/path-parts.ts";
export { fits, noBinding, pathPattern } from "./request/path-pattern.ts";
export { type PathValue, pathSegment, pathSegments } from "./request/path-segment.ts";
export { type BytesPart, RequestWriter } from "./request/request-writer.ts";
export { durationText, spanJson, spanText, timeJson, timeText } from "./request/time-text.ts";
export { entriesJson } from "./request/untellable.ts";
export { writeHttpBody } from "./response/http-body.ts";
