import { type Generated, generate } from "../generate.ts";
import type { Input } from "../input.ts";
import type { Options } from "../protocol/options.ts";

/** What a second generator can know of a file that protoc-gen-connect-rest generates in the same run. */
export interface HostFile {
  /** The names of its insertion points. */
  readonly points: ReadonlySet<string>;
  /** The identifiers that it imports or declares. */
  readonly identifiers: ReadonlySet<string>;
}

/**
 * The files that protoc-gen-connect-rest generates in the same run. A compiler does not show a generator what another
 * one made, so they are generated once more: that is a pure function of the request.
 */
export class Host {
  private readonly input: Input;
  private readonly options: Options;
  private found: ReadonlyMap<string, HostFile> | undefined;

  constructor(input: Input, options: Options) {
    this.input = input;
    this.options = options;
  }

  /** By path; undefined where the run makes no such file, also because the .proto files have problems. */
  file(path: string): HostFile | undefined {
    this.found ??= describe(generate(this.input.files, this.options, this.input.problems));
    return this.found.get(path);
  }
}

function describe(generated: Generated): Map<string, HostFile> {
  // its problems are reported by protoc-gen-connect-rest itself
  if (generated.error !== undefined) return new Map();
  return new Map(generated.files.map(({ path, content }) => [path, describeFile(content)]));
}

function describeFile(content: string): HostFile {
  const points = content.matchAll(/^\/\/ @@protoc_insertion_point\((.*)\)$/gm);
  const [imports = ""] = content.split("// @@protoc_insertion_point(imports)");
  const imported = imports.matchAll(/[A-Za-z_$][\w$]*/g);
  const declared = content.matchAll(
    /^(?:export )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm,
  );
  return {
    points: new Set([...points].map((match) => match[1] ?? "")),
    identifiers: new Set([
      ...[...imported].map((match) => match[0]),
      ...[...declared].map((match) => match[1] ?? ""),
    ]),
  };
}
