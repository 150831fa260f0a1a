import type { AnyDesc, DescExtension, DescField } from "@bufbuild/protobuf";
import { enum_value, field, message, method, oneof, service } from "../gen/connectrest/v1/annotations_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";

const EXTENSIONS: ReadonlyArray<DescExtension> = [enum_value, field, http, message, method, oneof, service];

/** The field number of all extensions of connectrest.v1. */
export const RULES: number = field.number;
/** The field number of google.api.http. */
export const HTTP: number = http.number;

/**
 * Reports for each number of an option path whether it is a list index. The other numbers are field numbers.
 */
export function indexesIn(desc: AnyDesc, option: readonly number[]): boolean[] {
  const options = desc.proto.options?.$typeName;
  const extension = EXTENSIONS.find(
    ({ number, extendee }) => number === option[0] && extendee.typeName === options,
  );
  let holder: DescExtension | DescField | undefined = extension;
  let isInList = false;
  return option.map((number, step) => {
    if (step === 0) return false;
    if (isInList) {
      isInList = false;
      return true;
    }
    const message: DescExtension["message"] = holder?.message;
    holder = message?.fields.find((candidate) => candidate.number === number);
    isInList = holder?.fieldKind === "list";
    return false;
  });
}
