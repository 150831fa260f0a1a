/**
 * The kit for generators that run after protoc-gen-connect-rest and add to its files.
 *
 * ```ts
 * await runGenerator({
 *   name: "protoc-gen-acme-list",
 *   version: "1.0.0",
 *   generate(request) {
 *     for (const file of request.adapterFiles) file.insert(END, `// ${file.services.length} services`);
 *   },
 * });
 * ```
 */
export { commentOf } from "../descriptors/comments.ts";
export { localName } from "../descriptors/names.ts";
export {
  fieldRulesOf,
  messageRulesOf,
  oneofRulesOf,
  type ValidateRules,
} from "../descriptors/validate-rules.ts";
export type { MethodAnnotation, ServiceAnnotation } from "../model/annotations.ts";
export type { Frozen } from "../model/freeze.ts";
export type {
  BindingModel,
  BodyModel,
  Choice,
  FieldPath,
  MethodModel,
  NextModel,
  Parameters,
  ServiceModel,
  StreamModel,
} from "../model/model.ts";
export type { PathTemplate, PathVariable, PatternSegment, Segment } from "../model/path-template.ts";
export type {
  ConditionModel,
  ConstantParameter,
  ErrorRule,
  JsonStyle,
  RateLimit,
  RetryAfterRule,
  Rules,
  SharedRules,
} from "../model/rules.ts";
export {
  type BytesEncoding,
  discriminatorValues,
  type EnumValueModel,
  type FieldModel,
  type Layout,
  type OneofModel,
  type Piece,
  type Place,
  type SourceModel,
  type Style,
  type TimeModel,
  type TimeNotation,
  type TypeModels,
} from "../model/types.ts";
export { requestName, responseNames } from "../model/wire-names.ts";
export { docComment } from "../print/doc-comment.ts";
export { adapterPoint, END, IMPORTS, methodPoint, servicePoint } from "../print/insertion-point.ts";
export { type Literal, printKey, printLiteral, printString } from "../print/literal.ts";
export { templateText } from "../print/template.ts";
export { ProtocolError } from "../protocol/request.ts";
export { type AdapterFile, adapterFilePath } from "./adapter-file.ts";
export {
  type ApplyOptions,
  applyInsertions,
  type GeneratorOutput,
  type OutputFile,
} from "./apply-insertions.ts";
export { DIALECTS, DIFFERENCES, type Dialect, type DialectName, REFUSED } from "./dialect.ts";
export { type Generator, respond, runGenerator } from "./generator.ts";
export { InsertionError, type InsertionErrorCode } from "./insertion-error.ts";
export type { NewFile } from "./new-file.ts";
export type { OptionSpec, OptionSpecs, OptionValues } from "./options.ts";
export type { KitRequest } from "./request.ts";
export type { Writer } from "./writer.ts";
