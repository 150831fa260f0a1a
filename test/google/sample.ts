/** Picks methods from all of Google's APIs with a fixed seed, and generates their code. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
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
import { httpRule } from "../../plugin/src/parse/options.ts";
import { generateWith } from "./generators.ts";
import { CACHE, closure, type Image, type ImageFile, withoutSourceInfo } from "./image.ts";
import { prune } from "./prune.ts";
import { Random } from "./random.ts";
import { encodeRequest, MESSAGE_OPTIONS, SAMPLE_OPTIONS } from "./request.ts";

/** Another seed picks other methods. The lists in this folder match this seed. */
const SEED = 20_261_120;
const METHODS = 500;

/** Two files that contain thousands of messages each. Other files cover the same code. */
export const TOO_LARGE: ReadonlySet<string> = new Set([
  "google/cloud/compute/v1/compute.proto",
  "google/cloud/compute/v1beta/compute.proto",
]);

/** A sample of methods with all of their dependencies. */
export interface Sample {
  readonly methods: readonly DescMethod[];
  readonly registry: FileRegistry;
  /** The files of the methods, without the parts that the methods do not need. */
  readonly files: readonly ImageFile[];
}

/** Picks unary methods and all server streams; methods without an HTTP rule are omitted. */
export function sampleOf(image: Image): Sample {
  const registry = registryOf([...image.values()].map(withoutSourceInfo));
  const methods = [...registry]
    .flatMap((desc) => (desc.kind === "service" && !TOO_LARGE.has(desc.file.proto.name) ? desc.methods : []))
    .filter((method) => httpRule(method) !== undefined)
    .sort((a, b) => (a.parent.typeName + a.name < b.parent.typeName + b.name ? -1 : 1));
  const unary = methods.filter(({ methodKind }) => methodKind === "unary");
  const streams = methods.filter(({ methodKind }) => methodKind === "server_streaming");
  const picked = [...new Random(SEED).shuffle(unary).slice(0, METHODS), ...streams];
  const names = picked.map((method) => method.parent.file.proto.name);
  return { methods: picked, registry, files: prune(closure(image, names), picked) };
}

function registryOf(files: readonly ImageFile[]): FileRegistry {
  const file = files.map(({ bytes }) => fromBinary(FileDescriptorProtoSchema, bytes));
  return createFileRegistry(create(FileDescriptorSetSchema, { file }));
}

/**
 * Generates the messages and adapters of a sample, and returns the folder. Adapters are generated as
 * TypeScript for the type checker and as JavaScript to run. Messages are generated as JavaScript with
 * declarations, because they need no type check.
 */
export async function generateSample({ files }: Sample): Promise<string> {
  const folder = join(CACHE, `sample-${SEED}`);
  rmSync(folder, { recursive: true, force: true });
  const bare = files.map(withoutSourceInfo);
  const made = await Promise.all([
    generateWith("messages", encodeRequest(bare, MESSAGE_OPTIONS)),
    generateWith("adapters", encodeRequest(files, SAMPLE_OPTIONS)),
  ]);
  for (const response of made) writeAll(folder, response);
  return folder;
}

function writeAll(folder: string, { file }: CodeGeneratorResponse): void {
  for (const { name, content } of file) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
