import { ScalarType } from "@bufbuild/protobuf";

/** The types of 64-bit integers, which ProtoJSON writes as strings. */
export const BIG_INTEGERS: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
