import { create } from "@bufbuild/protobuf";
import {
  type CodeGeneratorResponse,
  CodeGeneratorResponseSchema,
  Edition,
  CodeGeneratorResponse_Feature as Feature,
} from "@bufbuild/protobuf/wkt";

/**
 * Returns a response that contains no files and declares the features that our generators support: proto3
 * optional, and editions up to 2024.
 */
export function emptyResponse(): CodeGeneratorResponse {
  return create(CodeGeneratorResponseSchema, {
    supportedFeatures: BigInt(Feature.PROTO3_OPTIONAL | Feature.SUPPORTS_EDITIONS),
    minimumEdition: Edition.EDITION_PROTO2,
    maximumEdition: Edition.EDITION_2024,
  });
}
