import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { fieldRules, methodRules } from "../descriptors/options.ts";
import { FieldRules_Location as Location } from "../gen/connectrest/v1/field_rules_pb.ts";

/**
 * Whether an upload takes a field of the request for itself, so that it goes nowhere else: the chunk, and what says its
 * type, part and file name, unless that has a place of its own.
 */
export function isTakenByUpload(desc: DescMethod, field: DescField): boolean {
  const { upload } = methodRules(desc);
  if (upload === undefined) return false;
  if (field.name === upload.chunk) return true;
  const roles = [upload.contentType, upload.part, upload.filename];
  return roles.includes(field.name) && fieldRules(field).in === Location.LOCATION_UNSPECIFIED;
}
