import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { methodRules } from "./options.ts";
import { isTakenByPoll } from "./poll.ts";
import { typeModels } from "./types.ts";

/** Reports whether a stream rule uses a request field, so that the field is not sent elsewhere. */
export function isTakenByStream(desc: DescMethod, field: DescField): boolean {
  return isTakenByUpload(desc, field) || isTakenByPoll(desc, field);
}

/**
 * Reports whether an upload uses a request field, so that the field is not sent elsewhere. An upload uses its
 * chunk and, unless the field names a place, the type, part and file name.
 */
function isTakenByUpload(desc: DescMethod, field: DescField): boolean {
  const { upload } = methodRules(desc);
  if (upload === undefined) return false;
  if (field.name === upload.chunk) return true;
  const roles = [upload.contentType, upload.part, upload.filename];
  return roles.includes(field.name) && typeModels.field(field).place === undefined;
}
