/** Loads the repository's .proto files as descriptors with comments. */
import { spawnSync } from "node:child_process";
import { createFileRegistry, type DescFile, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/**
 * Compiles all modules of buf.yaml.
 *
 * @throws Error with buf's message
 */
export function loadSchema(root: string): FileRegistry {
  const { status, stdout, stderr, error } = spawnSync("buf", ["build", "-o", "-"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Error(`buf build: expected descriptors, got ${error?.message ?? stderr.toString()}`);
  }
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, stdout));
}

/** Returns the files below a folder of the proto sources, such as `connectrest/v1/`, sorted by name. */
export function filesBelow(schema: FileRegistry, prefix: string): DescFile[] {
  return [...schema.files]
    .filter((file) => file.proto.name.startsWith(prefix))
    .sort((a, b) => (a.proto.name < b.proto.name ? -1 : 1));
}
