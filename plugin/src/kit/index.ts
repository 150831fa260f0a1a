/** For writing generators that run beside protoc-gen-connect-rest and add to its files. */
export { ProtocolError } from "../protocol/request.ts";
export type { AdapterInsertions } from "./adapter-file.ts";
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
export { adapterFilePath, END, IMPORTS, methodPoint, servicePoint } from "./points.ts";
export type { KitRequest } from "./request.ts";
export type { Writer } from "./writer.ts";
