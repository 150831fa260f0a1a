export { type Generated, generate } from "./generate.ts";
export type { PrintedFile } from "./print/file.ts";
export type { Options } from "./protocol/options.ts";
export { ParameterError, parseParameter } from "./protocol/parameter.ts";
export { ProtocolError } from "./protocol/request.ts";
export { runPlugin } from "./run.ts";
export { VERSION } from "./version.ts";
