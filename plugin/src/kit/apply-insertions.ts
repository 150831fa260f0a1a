import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorResponse,
  type CodeGeneratorResponse_File,
  type GeneratedCodeInfo,
  GeneratedCodeInfoSchema,
} from "@bufbuild/protobuf/wkt";
import { pathFault } from "../protocol/output-path.ts";
import { type ByteString, bytesOf, fromUint8Array, textOf, toUint8Array } from "./byte-string.ts";
import { mergeCodeInfo } from "./code-info.ts";
import { DIALECTS, type Dialect, type DialectName } from "./dialect.ts";
import { type Inserted, insert, longestLine } from "./insert.ts";
import { InsertionError } from "./insertion-error.ts";

/** The response of a generator. */
export interface GeneratorOutput {
  /** The name of the generator, for error messages. */
  readonly generator: string;
  readonly response: CodeGeneratorResponse;
}

/** A file to write, relative to the output directory. */
export interface OutputFile {
  readonly path: string;
  /** The content in UTF-8; for a `.pb.meta` file, an encoded google.protobuf.GeneratedCodeInfo. */
  readonly content: Uint8Array;
}

export interface ApplyOptions {
  /** The compiler to imitate where compilers differ (`DIFFERENCES`). Default: `protoc`. */
  readonly dialect?: DialectName;
}

/**
 * Combines the responses of generators, in order, like a schema compiler: files, chunks without a name that
 * continue the previous chunk, and insertions into files that the same generator or an earlier one has
 * written.
 *
 * @returns the files, in the order of their first appearance
 * @throws InsertionError
 */
export function applyInsertions(
  outputs: readonly GeneratorOutput[],
  options: ApplyOptions = {},
): OutputFile[] {
  const applier = new Applier(DIALECTS[options.dialect ?? "protoc"]);
  for (const output of outputs) applier.apply(output);
  return applier.files();
}

/** An entry of a response, with the chunks that continue it. */
interface Chunk {
  readonly path: string;
  readonly point: string;
  readonly content: ByteString;
  readonly codeInfo: GeneratedCodeInfo | undefined;
}

class Applier {
  private readonly contents = new Map<string, ByteString>();
  private readonly dialect: Dialect;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  files(): OutputFile[] {
    return [...this.contents].map(([path, content]) => ({ path, content: toUint8Array(content) }));
  }

  apply({ generator, response }: GeneratorOutput): void {
    if (response.error !== "") throw new InsertionError("generator-failed", generator, response.error);
    for (const chunk of chunksOf(generator, response.file)) {
      if (chunk.point === "") {
        this.begin(generator, chunk);
      } else {
        this.insert(generator, chunk);
      }
    }
  }

  private begin(generator: string, { path, content }: Chunk): void {
    const fault = pathFault(path);
    if (fault !== undefined) {
      throw new InsertionError("unsafe-path", generator, `the path \`${path}\` cannot be written: ${fault}`);
    }
    if (this.contents.has(path)) {
      throw new InsertionError("duplicate-file", generator, `the file \`${path}\` is already generated`);
    }
    this.contents.set(path, content);
  }

  private insert(generator: string, chunk: Chunk): void {
    const { path, point, content } = chunk;
    const target = this.contents.get(path);
    if (target === undefined) {
      const text = `nothing can be inserted into \`${path}\`: no generator before this one, in the same run and with the same output directory, made it`;
      throw new InsertionError("missing-file", generator, text);
    }
    this.checkLines(generator, `the file \`${path}\``, target);
    this.checkLines(generator, `the insertion into \`${path}\``, content);
    const inserted = insert(target, point, content, this.dialect);
    if (inserted === undefined) {
      const text = `the file \`${path}\` has no insertion point \`${point}\`${known(target)}`;
      throw new InsertionError("missing-point", generator, text);
    }
    this.contents.set(path, inserted.content);
    if (this.dialect.codeInfo === "merged") this.merge(generator, chunk, inserted);
  }

  private checkLines(generator: string, subject: string, bytes: ByteString): void {
    const length = longestLine(bytes);
    if (length <= this.dialect.longestLine) return;
    const text = `${subject} has a line of ${length} bytes; the compiler takes at most ${this.dialect.longestLine}`;
    throw new InsertionError("line-too-long", generator, text);
  }

  private merge(generator: string, { path, codeInfo }: Chunk, inserted: Inserted): void {
    const meta = `${path}.pb.meta`;
    const encoded = this.contents.get(meta);
    if (encoded === undefined && (codeInfo?.annotation.length ?? 0) === 0) return;
    const merged = mergeCodeInfo(decodeCodeInfo(generator, meta, encoded), codeInfo, inserted);
    this.contents.set(meta, fromUint8Array(toBinary(GeneratedCodeInfoSchema, merged)));
  }
}

function chunksOf(generator: string, files: readonly CodeGeneratorResponse_File[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const { name, insertionPoint: point, content, generatedCodeInfo: codeInfo } of files) {
    const last = chunks.pop();
    if (name !== "") {
      if (last !== undefined) chunks.push(last);
      chunks.push({ path: name, point, content: bytesOf(content), codeInfo });
    } else if (point !== "") {
      const text = `the insertion at \`${point}\` does not name the file that it is for`;
      throw new InsertionError("nameless-insertion", generator, text);
    } else if (last === undefined) {
      const text = "the first file of the response has no name, so there is none that it could continue";
      throw new InsertionError("nameless-first-chunk", generator, text);
    } else {
      chunks.push({ ...last, content: (last.content + bytesOf(content)) as ByteString });
    }
  }
  return chunks;
}

function decodeCodeInfo(generator: string, meta: string, encoded: ByteString | undefined): GeneratedCodeInfo {
  if (encoded === undefined) return create(GeneratedCodeInfoSchema);
  try {
    return fromBinary(GeneratedCodeInfoSchema, toUint8Array(encoded));
  } catch {
    const text = `\`${meta}\` is no encoded google.protobuf.GeneratedCodeInfo, so nothing can be merged into it`;
    throw new InsertionError("code-info", generator, text);
  }
}

function known(target: ByteString): string {
  const names = [...target.matchAll(/@@protoc_insertion_point\(([^)\n]*)\)/g)].map((match) =>
    textOf((match[1] ?? "") as ByteString),
  );
  if (names.length === 0) return "; it has none";
  const shown = names.slice(0, 8).map((name) => `\`${name}\``);
  return `; it has ${shown.join(", ")}${names.length > 8 ? ", …" : ""}`;
}
