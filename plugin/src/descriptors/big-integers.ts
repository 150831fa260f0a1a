import { ScalarType } from "@bufbuild/protobuf";

/** The 64-bit integer types, which ProtoJSON writes as strings. */
export const BIG_INTEGERS: ReadonlySet<ScalarType | undefined> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
