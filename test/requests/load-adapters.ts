/** Compiles a test's .proto sources, and imports the adapters that are generated from them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import type { ServiceAdapter } from "connect-rest-runtime";
import { compileRequest } from "../generator-kit/compile.ts";
import type { decoded, scanned } from "../scanner/both.ts";
import { runGenerator } from "../support/run-generator.ts";

/** Generated adapters are in a folder where their imports are resolved, and which tools ignore. */
const LOCATED = new URL("../../runtime/src/request/located.ts", import.meta.url).href;
const BOTH = new URL("../scanner/both.ts", import.meta.url).href;
const CACHE = join(import.meta.dirname, "../../node_modules/.cache");

/** Returns the problems that the generator reports, one per line. */
export function problemsOf(sources: Readonly<Record<string, string>>): readonly string[] {
  const { error } = runGenerator(compileRequest(sources), { parameter: "target=js,import_extension=js" });
  return error === "" ? [] : error.split("\n");
}

/** Generated adapters, and functions from the same instance of the runtime. */
export interface Loaded {
  /** The adapters by service name. */
  readonly adapters: ReadonlyMap<string, ServiceAdapter>;
  /** Adds the name of the field to an error. */
  readonly located: (error: ConnectError, desc: DescMessage, message: Message) => ConnectError;
  /** Decodes a response with the JavaScript decoder; `scanned` uses the scanner. */
  readonly decoded: typeof decoded;
  readonly scanned: typeof scanned;
}

/**
 * Returns the adapters of all services. Node imports the adapters and the runtime directly, without vitest.
 */
export async function loadAdapters(sources: Readonly<Record<string, string>>): Promise<Loaded> {
  const request = compileRequest(sources, "target=js,import_extension=js");
  const { files, error } = runGenerator(request);
  if (error !== "") throw new Error(error);
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "adapters-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    for (const [name, text] of Object.entries({ ...messageFiles(request), ...files })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const own = `export { located } from ${JSON.stringify(LOCATED)};\nexport { decoded, scanned } from ${JSON.stringify(BOTH)};`;
    writeFileSync(join(folder, "own.js"), own);
    const modules = await Promise.all([...Object.keys(files), "own.js"].map((name) => load(folder, name)));
    const adapters = modules.flatMap((module) => Object.values(module).filter(isServiceAdapter));
    const functions = modules.at(-1) as unknown as Omit<Loaded, "adapters">;
    return { ...functions, adapters: new Map(adapters.map((adapter) => [adapter.service.name, adapter])) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function load(folder: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(pathToFileURL(join(folder, name)).href)) as Readonly<Record<string, unknown>>;
}

/** Returns the files of protoc-gen-es. */
export function messageFiles(request: CodeGeneratorRequest): Record<string, string> {
  const every = request.protoFile.map(({ name }) => name).filter((name) => !/^google\/protobuf\//.test(name));
  const input = toBinary(CodeGeneratorRequestSchema, { ...request, fileToGenerate: every });
  const { stdout, stderr, status } = spawnSync("protoc-gen-es", { input, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(String(stderr));
  const { file } = fromBinary(CodeGeneratorResponseSchema, stdout);
  return Object.fromEntries(file.map(({ name, content }) => [name, content]));
}

function isServiceAdapter(value: unknown): value is ServiceAdapter {
  return typeof value === "object" && value !== null && "service" in value && "methods" in value;
}
