/** The repository's .proto files as descriptors, with comments. */
import { spawnSync } from "node:child_process";
import { createFileRegistry, type DescFile, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/**
 * Compiles all modules of buf.yaml.
 *
 * @throws Error with what buf says
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

/** The files below a folder of the proto sources, e.g. `connectrest/v1/`, in the order of their names. */
export function filesBelow(schema: FileRegistry, prefix: string): DescFile[] {
  return [...schema.files]
    .filter((file) => file.proto.name.startsWith(prefix))
    .sort((a, b) => (a.proto.name < b.proto.name ? -1 : 1));
}
