/** What generated adapters import. */

export { Code } from "@connectrpc/connect";
export { valueAt } from "../answer/json-path.ts";
export type { ListStyle, ParameterValue } from "../request/parameters.ts";
export { fits, noBinding, pathPattern } from "../request/path-pattern.ts";
export { type PathValue, pathSegment, pathSegments } from "../request/path-segment.ts";
export { type BytesPart, RequestWriter } from "../request/request-writer.ts";
export { wireNumber } from "../request/wire-number.ts";
export { anyJson, decodeAny, typesOf } from "../wire/any.ts";
export { cursorBigInt, cursorNumber, cursorTime } from "../wire/cursor.ts";
export { type DurationRule, spanJson, spanText } from "../wire/duration.ts";
export { decodeEmpty, decodeListValue, decodeStruct, decodeValue } from "../wire/dynamic.ts";
export {
  base64,
  base64Url,
  doubleJson,
  durationText,
  fieldMaskText,
  type JsonRecord,
  joinCommas,
  listJson,
  omit,
  plainJson,
  rawEntries,
  rawText,
  setOwn,
  structJson,
  timeJson,
  timeText,
  valueJson,
} from "../wire/encode.ts";
export { EnumTable } from "../wire/enum-table.ts";
export { writeHttpBody } from "../wire/http-body.ts";
export type { ProtoWriter } from "../wire/proto-writer.ts";
export {
  type Condition,
  fromText,
  holds,
  linkTarget,
  ownValue,
  splitCommas,
  splitNumbers,
} from "../wire/read.ts";
export type { TimeRule } from "../wire/timestamp.ts";
export {
  type AnyMethodAdapter,
  type DownloadAdapter,
  download,
  type MethodAdapter,
  type NextPage,
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
} from "./adapter.ts";
export type { DeclaredRules } from "./default-rules.ts";
export { isJsonObject, type JsonObject, type JsonValue, jsonTypeOf } from "./json.ts";
export type { BodyPart, PartContent, RestBody, RestRequest } from "./rest-request.ts";
export type { RestResponse } from "./rest-response.ts";
export type {
  ApiKeyRule,
  CredentialKind,
  EnvelopeRule,
  ErrorRule,
  ErrorShape,
  MethodRules,
  RateLimitRule,
  ResponseEncoding,
  RetryAfterRule,
} from "./rules.ts";
