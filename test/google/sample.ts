/** Methods picked from all of Google's APIs by a fixed seed, and the folder in which their code is generated. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  create,
  createFileRegistry,
  type DescMethod,
  type FileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import {
  type CodeGeneratorResponse,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { httpRule } from "../../plugin/src/descriptors/options.ts";
import { generateWith } from "./generators.ts";
import { CACHE, closure, type Image, type ImageFile, withoutSourceInfo } from "./image.ts";
import { Random } from "./random.ts";
import { ADAPTER_OPTIONS, encodeRequest, MESSAGE_OPTIONS } from "./request.ts";

/** Changing it picks other methods; the lists that are checked in are for this one. */
const SEED = 20_261_120;
const METHODS = 500;

/** Two files with thousands of messages each: protoc-gen-es takes minutes for them. Both are generated from elsewhere. */
const TOO_LARGE: ReadonlySet<string> = new Set([
  "google/cloud/compute/v1/compute.proto",
  "google/cloud/compute/v1beta/compute.proto",
]);

/** A sample of methods with all that they need. */
export interface Sample {
  readonly methods: readonly DescMethod[];
  readonly registry: FileRegistry;
  /** The files of the methods and all that they import. */
  readonly files: readonly ImageFile[];
}

/** Picks unary methods that have an HTTP rule. */
export function sampleOf(image: Image): Sample {
  const registry = registryOf([...image.values()].map(withoutSourceInfo));
  const methods = [...registry]
    .flatMap((desc) => (desc.kind === "service" && !TOO_LARGE.has(desc.file.proto.name) ? desc.methods : []))
    .filter((method) => method.methodKind === "unary" && httpRule(method) !== undefined)
    .sort((a, b) => (a.parent.typeName + a.name < b.parent.typeName + b.name ? -1 : 1));
  const picked = new Random(SEED).shuffle(methods).slice(0, METHODS);
  const names = picked.map((method) => method.parent.file.proto.name);
  return { methods: picked, registry, files: closure(image, names) };
}

function registryOf(files: readonly ImageFile[]): FileRegistry {
  const file = files.map(({ bytes }) => fromBinary(FileDescriptorProtoSchema, bytes));
  return createFileRegistry(create(FileDescriptorSetSchema, { file }));
}

/** Generates messages and adapters of a sample; the messages only where they are not there yet. Returns the folder. */
export async function generateSample({ files }: Sample): Promise<string> {
  const folder = join(CACHE, `sample-${SEED}`);
  const isComplete = join(folder, "messages-complete");
  if (!existsSync(isComplete)) {
    rmSync(folder, { recursive: true, force: true });
    const bare = files.map(withoutSourceInfo);
    writeAll(folder, await generateWith("messages", encodeRequest(bare, MESSAGE_OPTIONS)));
    writeFileSync(isComplete, "");
  }
  removeAdapters(folder);
  writeAll(folder, await generateWith("adapters", encodeRequest(files, ADAPTER_OPTIONS)));
  return folder;
}

function writeAll(folder: string, { file }: CodeGeneratorResponse): void {
  for (const { name, content } of file) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function removeAdapters(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith("_rest.ts")) rmSync(join(folder, name));
  }
}
