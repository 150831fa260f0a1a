import { create } from "@bufbuild/protobuf";
import {
  type CodeGeneratorResponse,
  CodeGeneratorResponseSchema,
  Edition,
  CodeGeneratorResponse_Feature as Feature,
} from "@bufbuild/protobuf/wkt";

/**
 * A response without files yet, which says what our generators understand: proto3 optional,
 * and editions to 2024.
 */
export function emptyResponse(): CodeGeneratorResponse {
  return create(CodeGeneratorResponseSchema, {
    supportedFeatures: BigInt(Feature.PROTO3_OPTIONAL | Feature.SUPPORTS_EDITIONS),
    minimumEdition: Edition.EDITION_PROTO2,
    maximumEdition: Edition.EDITION_2024,
  });
}
