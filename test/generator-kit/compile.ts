/** Compiles a test's .proto sources to the request that a generator receives. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { create, fromBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

/** The folders that sources may import from, relative to the root of the repository. */
const IMPORTS = {
  connectrest: "proto/connectrest",
  buf: "plugin/protos/buf",
  "google/api/annotations.proto": "node_modules/google-proto-files/google/api/annotations.proto",
  "google/api/field_behavior.proto": "node_modules/google-proto-files/google/api/field_behavior.proto",
  "google/api/http.proto": "node_modules/google-proto-files/google/api/http.proto",
  "google/api/httpbody.proto": "node_modules/google-proto-files/google/api/httpbody.proto",
  "google/rpc/code.proto": "node_modules/google-proto-files/google/rpc/code.proto",
  "google/rpc/status.proto": "node_modules/google-proto-files/google/rpc/status.proto",
} as const;

/** The start of a source that can use every annotation. */
export const HEAD = `syntax = "proto3";
package test.v1;
import "buf/validate/validate.proto";
import "connectrest/v1/annotations.proto";
import "google/api/annotations.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
`;

/**
 * Returns the request to generate code for all sources.
 *
 * @param sources the sources by file name
 */
export function compileRequest(
  sources: Readonly<Record<string, string>>,
  parameter = "",
): CodeGeneratorRequest {
  const folder = mkdtempSync(join(tmpdir(), "compile-"));
  try {
    for (const [name, path] of Object.entries(IMPORTS)) copy(path, join(folder, name));
    for (const [name, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const image = build(folder);
    return create(CodeGeneratorRequestSchema, {
      fileToGenerate: Object.keys(sources),
      parameter,
      protoFile: fromBinary(FileDescriptorSetSchema, image).file,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copy(from: string, to: string): void {
  cpSync(join(import.meta.dirname, "../..", from), to, { recursive: true });
}

function build(folder: string): Buffer {
  const output = join(folder, "image.binpb");
  const { status, stderr } = spawnSync("buf", ["build", folder, "-o", output], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(output);
}
