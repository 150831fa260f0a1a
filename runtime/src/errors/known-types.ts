/**
 * The message types that every process knows in addition to the well-known types: google.rpc, and the error
 * details of the runtime.
 */
import type { DescFile, DescMessage, Registry } from "@bufbuild/protobuf";
import { typesOfFiles as registryOf } from "connect-rest-codec/internal";
import { file_connectrest_v1_feed } from "../gen/connectrest/v1/feed_pb.ts";
import { file_connectrest_v1_upstream_error } from "../gen/connectrest/v1/upstream_error_pb.ts";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.ts";
import { file_google_rpc_status } from "../gen/google/rpc/status_pb.ts";

const STANDARD_FILES: readonly DescFile[] = [
  file_google_rpc_error_details,
  file_google_rpc_status,
  file_connectrest_v1_feed,
  file_connectrest_v1_upstream_error,
];

/** Returns the types in files and all of their imports, and the types that every process knows. */
export function typesOfFiles(files: readonly DescFile[], others: readonly DescMessage[] = []): Registry {
  return registryOf([...STANDARD_FILES, ...files], others);
}

/** The types that every process knows. */
export const STANDARD_TYPES: Registry = typesOfFiles([]);

/**
 * Returns a function that returns the types in a file and all of its imports. The types are created on first
 * use.
 */
export function typesOf(file: DescFile): () => Registry {
  let registry: Registry | undefined;
  return () => {
    registry ??= typesOfFiles([file]);
    return registry;
  };
}
