/**
 * All .proto files of Google's public APIs. They are compiled once and cached in a folder that git ignores.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BinaryReader } from "@bufbuild/protobuf/wire";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "node_modules/google-proto-files");

/** The cache folder. It is in the repository, so that generated modules can import the runtime. */
export const CACHE = join(import.meta.dirname, ".cache");

/**
 * A FileDescriptorProto as written by the compiler. Only the fields that determine the order of files are
 * decoded.
 */
export interface ImageFile {
  readonly name: string;
  readonly dependencies: readonly string[];
  /** The encoded descriptor. */
  readonly bytes: Uint8Array;
}

/** Files by name, each after its imports. */
export type Image = ReadonlyMap<string, ImageFile>;

/**
 * Returns the descriptors of all files in the npm package `google-proto-files`. The first call takes half a
 * minute.
 */
export function googleImage(): Image {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string };
  const path = join(CACHE, `image-${version}.binpb`);
  if (!existsSync(path)) build(path);
  return readImage(readFileSync(path));
}

/** Reads an encoded FileDescriptorSet. This is orders of magnitude faster than decoding it completely. */
export function readImage(bytes: Uint8Array): Image {
  const files = fieldsOf(bytes)
    .filter(({ number }) => number === FILE)
    .map(({ value }) => readFile(value));
  return new Map(files.map((file) => [file.name, file]));
}

/**
 * Returns the file without source information (comments and positions), which is three quarters of its size.
 */
export function withoutSourceInfo(file: ImageFile): ImageFile {
  const kept = fieldsOf(file.bytes).filter(({ number }) => number !== SOURCE_CODE_INFO);
  return { ...file, bytes: Buffer.concat(kept.map(({ whole }) => whole)) };
}

/** Returns the named files and all of their imports, in the order of the image. */
export function closure(image: Image, names: Iterable<string>): ImageFile[] {
  const reached = new Set<string>();
  const reach = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const dependency of image.get(name)?.dependencies ?? []) reach(dependency);
  };
  for (const name of names) reach(name);
  return [...image.values()].filter((file) => reached.has(file.name));
}

/** Field numbers of FileDescriptorSet and FileDescriptorProto. */
const [FILE, NAME, DEPENDENCY, SOURCE_CODE_INFO] = [1, 1, 3, 9];

function readFile(bytes: Uint8Array): ImageFile {
  const fields = fieldsOf(bytes);
  const texts = (number: number) =>
    fields.filter((field) => field.number === number).map(({ value }) => Buffer.from(value).toString());
  const [name = ""] = texts(NAME);
  return { name, dependencies: texts(DEPENDENCY), bytes };
}

interface Field {
  readonly number: number;
  /** The bytes of a length-delimited field, without the tag and the length. */
  readonly value: Uint8Array;
  /** The field, including its tag. */
  readonly whole: Uint8Array;
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const reader = new BinaryReader(bytes);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, type] = reader.tag();
    const skipped = reader.skip(type, number);
    // The length precedes the value.
    const value = type === 2 ? new BinaryReader(skipped).bytes() : skipped;
    fields.push({ number, value, whole: bytes.subarray(start, reader.pos) });
  }
  return fields;
}

function build(path: string): void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "build-"));
  try {
    for (const name of ["gapic", "google", "grafeas"]) {
      cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
    }
    // buf includes these files and rejects other files with the same names.
    rmSync(join(folder, "google/protobuf"), { recursive: true });
    const output = join(folder, "image.binpb");
    const { status, stderr } = spawnSync("buf", ["build", folder, "-o", output], { encoding: "utf8" });
    if (status !== 0) throw new Error(`buf build: ${stderr}`);
    renameSync(output, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
