import { create, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  type CodeGeneratorResponse,
  type CodeGeneratorResponse_File,
  CodeGeneratorResponse_FileSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { oneLine } from "../diagnostics/one-line.ts";
import { readInput } from "../input.ts";
import { runExecutable } from "../protocol/executable.ts";
import { ParameterError } from "../protocol/parameter.ts";
import { decodeRequest } from "../protocol/request.ts";
import { emptyResponse } from "../protocol/response.ts";
import { type OptionSpecs, type ParsedOptions, parseOptions } from "./options.ts";
import { KitRequest } from "./request.ts";

/** A generator that runs after protoc-gen-connect-rest, with the same output directory. */
export interface Generator<Specs extends OptionSpecs = OptionSpecs> {
  /** The name of the program, for example `protoc-gen-acme-docs`. */
  readonly name: string;
  readonly version: string;
  /** The purpose of the generator, in one sentence for `--help`. */
  readonly description?: string;
  /**
   * The options of the generator, in addition to `target`, `import_extension` and `unsupported`, which all
   * generators have.
   */
  readonly options?: Specs;
  /**
   * The suffix of names that are imported into files of other generators: `Post$acmeDocs`. Default: derived
   * from the name.
   */
  readonly importSuffix?: string;
  /**
   * Reads the request and adds files and insertions to it. A pure function: the same request gives the same
   * response.
   */
  generate(request: KitRequest<Specs>): void;
}

/**
 * Runs a generator as a program: reads a request of buf or protoc from standard input, and writes the
 * response to standard output. Supports `--help` and `--version`. Exits with 1 if the request cannot be read
 * or `generate` throws.
 */
export async function runGenerator<Specs extends OptionSpecs>(generator: Generator<Specs>): Promise<void> {
  await runExecutable({
    name: generator.name,
    version: generator.version,
    usage: usageOf(generator),
    run: (input) => ({
      response: toBinary(CodeGeneratorResponseSchema, respond(generator, decodeRequest(input))),
      warnings: [],
    }),
  });
}

/**
 * Returns a generator's response to a request. Faults in the .proto files and the options are in the `error`
 * of the response.
 *
 * @throws ProtocolError if the request is incomplete, and the errors of `generate`
 */
export function respond<Specs extends OptionSpecs>(
  generator: Generator<Specs>,
  request: CodeGeneratorRequest,
): CodeGeneratorResponse {
  const response = emptyResponse();
  const options = optionsOf(generator, request.parameter);
  if (typeof options === "string") {
    response.error = options;
    return response;
  }
  const kit = new KitRequest(readInput(request, options.common), options, suffixOf(generator));
  generator.generate(kit);
  if (kit.faults !== "") {
    response.error = kit.faults;
  } else {
    response.file = [...newFiles(kit, generator), ...insertions(kit)];
  }
  return response;
}

/** Returns the options, or the fault of an invalid option. */
function optionsOf<Specs extends OptionSpecs>(
  { options }: Generator<Specs>,
  parameter: string,
): ParsedOptions<Specs> | string {
  try {
    return parseOptions(parameter, options ?? ({} as Specs));
  } catch (error) {
    if (error instanceof ParameterError) return oneLine(error.message);
    throw error;
  }
}

type Naming = Pick<Generator, "name" | "importSuffix">;

/** Converts `protoc-gen-acme-docs` to `acmeDocs`. */
function suffixOf({ name, importSuffix }: Naming): string {
  const words = name.replace(/^protoc-gen-(connect-rest-)?/, "").split(/[^A-Za-z0-9]+/);
  const [first = "", ...rest] = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const made = first.charAt(0).toLowerCase() + first.slice(1) + rest.join("");
  const suffix = importSuffix ?? made;
  // generated names end in `$` or `$` with digits, so a suffix that begins with a letter cannot collide with
  // them
  if (/^[A-Za-z]\w*$/.test(suffix)) return suffix;
  throw new Error(`${name}: the import suffix \`${suffix}\` must be letters, digits and _, a letter first`);
}

function newFiles<Specs extends OptionSpecs>(
  kit: KitRequest<Specs>,
  { name, version }: Generator<Specs>,
): CodeGeneratorResponse_File[] {
  return kit.newFiles.map((file) =>
    create(CodeGeneratorResponse_FileSchema, { name: file.path, content: file.print(`${name} v${version}`) }),
  );
}

function insertions<Specs extends OptionSpecs>(kit: KitRequest<Specs>): CodeGeneratorResponse_File[] {
  return kit.adapterFiles.flatMap((file) =>
    file
      .insertions()
      .map(({ point, content }) =>
        create(CodeGeneratorResponse_FileSchema, { name: file.path, insertionPoint: point, content }),
      ),
  );
}

function usageOf<Specs extends OptionSpecs>({ name, description, options }: Generator<Specs>): string {
  const own = Object.entries(options ?? {}).map(
    ([key, { help, default: value, values }]) =>
      `  ${key}=${values?.join("|") ?? "…"}  ${help} (default: ${value === "" ? "empty" : value})\n`,
  );
  return `${description === undefined ? "" : `${description}\n\n`}A plugin for buf and protoc, which runs in one invocation with protoc-gen-connect-rest, after it and with the
same output directory:

  plugins:
    - local: protoc-gen-connect-rest
      out: gen
      strategy: all
      opt: [target=ts, import_extension=ts]
    - local: ${name}
      out: gen
      strategy: all
      opt: [target=ts, import_extension=ts]

Options: target=ts, import_extension=ts|js|none, map_imports=pattern:package, rewrite_imports=pattern:path,
unsupported=error|skip, service_config=file.yaml, proto_path=dir, as for protoc-gen-connect-rest
${own.join("")}`;
}
