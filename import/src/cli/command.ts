import { realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { importDocument } from "../import.ts";
import type { Document } from "../load/node.ts";
import { parse } from "../load/parse.ts";
import { Reader, readText } from "../load/reader.ts";
import { ImportError } from "../problem.ts";
import { type Arguments, parseArguments, USAGE } from "./arguments.ts";
import { ProgressBar } from "./progress-bar.ts";
import { adviceOnAdapters, LOCK_FILE, readLock, writeImported } from "./write.ts";

/** The streams of a process. */
export interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
}

/** Runs the command, and resolves with its exit code. */
export async function run(args: readonly string[], streams: Streams): Promise<number> {
  const parsed = parseArguments(args);
  if (parsed === "help") {
    streams.output.write(USAGE);
    return 0;
  }
  if ("problem" in parsed) {
    streams.errors.write(`connect-rest-import: ${parsed.problem}; --help prints the options\n`);
    return 2;
  }
  try {
    await runImport(parsed, streams);
    return 0;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const file = parsed.document === "-" ? "standard input" : parsed.document;
    const place = error.message.startsWith("#") || error.message.startsWith(":") ? file : "";
    streams.errors.write(`${place}${error.message}\n`);
    return 1;
  }
}

async function runImport(options: Arguments, streams: Streams): Promise<void> {
  const { document, reader } = await open(options, streams.input);
  const lock = await readLock(options.output);
  const bar = new ProgressBar(streams.errors);
  const onProgress = (planned: number, methods: number) =>
    bar.show(planned / methods, `${planned} of ${methods} methods`);
  const imported = await importDocument(document, reader, {
    ...options,
    lock: lock?.names,
    onProgress,
  }).finally(() => bar.clear());
  const written = await writeImported(options, imported, lock?.files);
  const { report } = imported;
  streams.output.write(`${written.length} files written to ${options.output}, with ${LOCK_FILE}\n`);
  streams.output.write(
    `${report.operations} operations, ${report.weakenedOperations} of them with a weaker type than the document says; ${report.fields} fields, ${report.weakenedFields} of them weaker\n`,
  );
  const advice = await adviceOnAdapters(options.output, imported, lock?.files);
  for (const line of [...report.summary(), ...advice]) streams.output.write(`${line}\n`);
}

async function open(
  { document, allowRemote, allowPath }: Arguments,
  input: NodeJS.ReadableStream,
): Promise<{ document: Document; reader: Reader }> {
  const folders = await Promise.all(allowPath.map(realFolder));
  if (document === "-") {
    const value = parse(await text(input), "");
    return {
      document: { name: "", url: undefined, value },
      reader: new Reader(undefined, allowRemote, folders),
    };
  }
  const path = await realPathOf(document);
  const value = parse(await readText(path, ""), basename(path).endsWith(".json") ? ".json" : "");
  return {
    document: { name: "", url: pathToFileURL(path), value },
    reader: new Reader(dirname(path), allowRemote, folders),
  };
}

async function realFolder(folder: string): Promise<string> {
  try {
    const path = await realpath(folder);
    if ((await stat(path)).isDirectory()) return path;
  } catch {
    // reported below
  }
  throw new ImportError(folder, "is not a folder; pass an existing folder to --allow-path");
}

async function realPathOf(document: string): Promise<string> {
  try {
    const path = await realpath(document);
    if ((await stat(path)).isFile()) return path;
  } catch {
    // said below
  }
  throw new ImportError(document, "is no file that can be read; pass the path of an OpenAPI document");
}
