import { type DescField, ScalarType } from "@bufbuild/protobuf";
import type { TypeModels } from "../model/types.ts";

/** The names of scalar types in the codec. */
export const SCALAR_KINDS: Readonly<Record<ScalarType, string>> = {
  [ScalarType.DOUBLE]: "double",
  [ScalarType.FLOAT]: "float",
  [ScalarType.INT64]: "int64",
  [ScalarType.UINT64]: "uint64",
  [ScalarType.INT32]: "int32",
  [ScalarType.FIXED64]: "fixed64",
  [ScalarType.FIXED32]: "fixed32",
  [ScalarType.BOOL]: "bool",
  [ScalarType.STRING]: "string",
  [ScalarType.BYTES]: "bytes",
  [ScalarType.UINT32]: "uint32",
  [ScalarType.SFIXED32]: "sfixed32",
  [ScalarType.SFIXED64]: "sfixed64",
  [ScalarType.SINT32]: "sint32",
  [ScalarType.SINT64]: "sint64",
};

/** Returns how the scalars of a field are read. */
export function scalarKind(field: DescField, scalar: ScalarType, types: TypeModels): string {
  const isRaw = scalar === ScalarType.BYTES && types.field(field).bytes === "raw";
  return isRaw ? "textBytes" : SCALAR_KINDS[scalar];
}
