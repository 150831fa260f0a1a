import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { methodRules } from "./options.ts";
import { isTakenByPoll } from "./poll.ts";
import { typeModels } from "./types.ts";

/** Whether a stream rule takes a field of the request for itself, so that it goes nowhere else. */
export function isTakenByStream(desc: DescMethod, field: DescField): boolean {
  return isTakenByUpload(desc, field) || isTakenByPoll(desc, field);
}

/**
 * Whether an upload takes a field of the request for itself, so that it goes nowhere else: the chunk, and
 * what says its type, part and file name, unless that has a place of its own.
 */
function isTakenByUpload(desc: DescMethod, field: DescField): boolean {
  const { upload } = methodRules(desc);
  if (upload === undefined) return false;
  if (field.name === upload.chunk) return true;
  const roles = [upload.contentType, upload.part, upload.filename];
  return roles.includes(field.name) && typeModels.field(field).place === undefined;
}
