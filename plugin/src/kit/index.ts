/** For writing generators that run beside protoc-gen-connect-rest and add to its files. */
export {
  type ApplyOptions,
  applyInsertions,
  type GeneratorOutput,
  type OutputFile,
} from "./apply-insertions.ts";
export { DIALECTS, DIFFERENCES, type Dialect, type DialectName, REFUSED } from "./dialect.ts";
export { InsertionError, type InsertionErrorCode } from "./insertion-error.ts";
