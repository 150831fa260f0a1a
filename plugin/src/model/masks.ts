/** The subjects of field masks. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { BodyModel } from "./model.ts";
import type { TypeModels } from "./types.ts";

/** The message whose fields a mask selects. */
export interface MaskSubject {
  readonly message: DescMessage;
  /**
   * The field next to the mask that contains the subject; undefined if the subject is the message of the
   * mask, or the response.
   */
  readonly field: DescField | undefined;
}

/** Reports whether a field is a google.protobuf.FieldMask, singular or repeated. */
export function isMask(field: DescField): boolean {
  return "message" in field && field.message?.typeName === "google.protobuf.FieldMask";
}

/**
 * Returns the subject that the rule of a mask names. Without a rule, returns the only message next to the
 * mask.
 */
export function siblingSubject(mask: DescField, types: TypeModels): MaskSubject | undefined {
  const { of = "" } = types.field(mask).mask ?? {};
  if (of !== "") return subjectOf(mask.parent.fields.find(({ name }) => name === of));
  const [only, ...others] = mask.parent.fields.filter((field) => subjectOf(field) !== undefined);
  return others.length === 0 ? subjectOf(only) : undefined;
}

/** Returns the subject of a mask in a request; see `Mask.of`. */
export function requestSubject(
  mask: DescField,
  body: BodyModel,
  response: DescMessage,
  types: TypeModels,
): MaskSubject | undefined {
  const { of = "" } = types.field(mask).mask ?? {};
  if (of !== "") {
    const inResponse = subjectOf(response.fields.find(({ name }) => name === of));
    return siblingSubject(mask, types) ?? (inResponse && { ...inResponse, field: undefined });
  }
  if (body.kind === "none") return { message: response, field: undefined };
  if (body.kind === "field") return subjectOf(body.field);
  if (body.kind === "http-body" || body.kind === "lines") return undefined;
  const hasMessages = mask.parent.fields.some((field) => subjectOf(field) !== undefined);
  return hasMessages ? siblingSubject(mask, types) : { message: mask.parent, field: undefined };
}

function subjectOf(field: DescField | undefined): MaskSubject | undefined {
  if (field === undefined || (field.fieldKind !== "message" && field.fieldKind !== "list")) return undefined;
  const { message } = field;
  if (message === undefined || message.file.proto.package === "google.protobuf") return undefined;
  return { message, field };
}
