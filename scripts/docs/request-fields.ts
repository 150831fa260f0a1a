/** Prints the fields of a request with the comments of its message. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { commentOf } from "../../plugin/src/descriptors/comments.ts";
import { SCALARS } from "./annotations.ts";
import { code, table } from "./markdown.ts";

/** Formats the fields of a request. Returns an empty string for a request without fields. */
export function requestTable({ fields }: DescMessage): string {
  if (fields.length === 0) return "";
  const rows = fields.map((field) => [code(field.name), typeText(field), commentOf(field)]);
  return table(["Field", "Type", "Meaning"], rows);
}

function typeText(field: DescField): string {
  const oneof = field.oneof === undefined ? "" : ` in the oneof ${code(field.oneof.name)}`;
  return `${valueText(field)}${oneof}`;
}

function valueText(field: DescField): string {
  const one = code((field.message ?? field.enum)?.name ?? SCALARS[field.proto.type] ?? "");
  if (field.fieldKind === "map") return "map of `string`";
  return field.fieldKind === "list" ? `list of ${one}` : one;
}
