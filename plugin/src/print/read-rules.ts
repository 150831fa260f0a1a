/** What the rules of fields and oneofs mean for whoever reads them: the decoder, and the table of the scanner. */
import { type DescField, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import type { ConditionModel } from "../model/rules.ts";
import type { FieldModel, TypeModels } from "../model/types.ts";
import { responseNames } from "../model/wire-names.ts";

/** The writer's method for a scalar type. */
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

/** The writer's method for the scalars of a field. */
export function scalarKind(field: DescField, scalar: ScalarType, types: TypeModels): string {
  const isRaw = scalar === ScalarType.BYTES && types.field(field).bytes === "raw";
  return isRaw ? "textBytes" : SCALAR_KINDS[scalar];
}

/** Whether a rule asks for more than a value of the discriminator. */
export function asksForMore({ key, present, type }: ConditionModel): boolean {
  return key !== "" || present !== undefined || type !== undefined;
}

/** Whether a text beside the oneof keeps what chooses the member, also where no member has it. */
export function keepsSpelling(
  { parent, fields }: DescOneof,
  discriminator: string,
  types: TypeModels,
): boolean {
  return parent.fields.some(
    (other) =>
      !fields.includes(other) &&
      other.fieldKind === "scalar" &&
      responseNames(other, types)[0] === discriminator,
  );
}

/** Whether a field is found in the object that its message is read from, and not in the head of the response. */
export function comesFromPaths({ sources }: FieldModel): boolean {
  return sources.length > 0 && sources.every(({ kind }) => kind === "path");
}
