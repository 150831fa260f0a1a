/** Generates annotated `.proto` files from OpenAPI and Swagger documents. */
export { type Imported, type ImportOptions, importDocument } from "./import.ts";
export type { Document } from "./load/node.ts";
export { parse } from "./load/parse.ts";
export { Reader } from "./load/reader.ts";
export { Lock } from "./lock/lock.ts";
export { ImportError } from "./problem.ts";
export { CAUSES, type Cause, WEAKENING } from "./report/causes.ts";
export type { Finding, Report } from "./report/report.ts";
