import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { BIG_INTEGERS } from "../descriptors/big-integers.ts";
import { localName } from "../descriptors/names.ts";
import { valueMessageOf } from "../descriptors/well-known.ts";
import type { MaskSubject } from "../model/masks.ts";
import type { JsonStyle } from "../model/rules.ts";
import { requestName } from "../model/wire-names.ts";
import { type AdapterFile, styleSuffix } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { enumTable } from "./enum-table.ts";
import { typed } from "./erasable.ts";
import { printString } from "./literal.ts";

/** What follows a mask in the call that writes it as text: the table of what it speaks of, and how other paths are written. */
export function printMaskArguments(
  subject: MaskSubject | undefined,
  style: JsonStyle,
  file: AdapterFile,
): string {
  const isDeclared = style.names === "asDeclared";
  const differs = subject !== undefined && isTranslated(subject.message, style, file, new Set());
  if (!differs) return isDeclared ? ', undefined, "asDeclared"' : "";
  return `, ${maskTable(subject.message, style, file)}${isDeclared ? ', "asDeclared"' : ""}`;
}

/** Whether a path in a message is not what its names give by default, so that a table is needed. */
function isTranslated(
  message: DescMessage,
  style: JsonStyle,
  file: AdapterFile,
  seen: Set<DescMessage>,
): boolean {
  if (seen.has(message) || message.file.proto.package === "google.protobuf") return false;
  seen.add(message);
  return message.fields.some((field) => {
    const usual =
      style.names === "asDeclared"
        ? field.name
        : field.name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const below = valueMessageOf(field);
    return (
      field.fieldKind === "map" ||
      requestName(field, style, file.types) !== usual ||
      (below !== undefined && isTranslated(below, style, file, seen))
    );
  });
}

/** The table with what masks may name of a message; printed into the file that asks for it. */
export function maskTable(message: DescMessage, style: JsonStyle, file: AdapterFile): string {
  const suffix = styleSuffix(style, file.style ?? style);
  return file.part(message, `maskOf${localName(message)}${suffix}`, (name) => {
    const fields = message.fields.filter((field) => isNamed(field, file));
    return [
      ...docComment(`What field masks may name of ${message.typeName}.`),
      `const ${name}${typed(file.runtimeType("MaskTable"))} = {`,
      ...fields.map((field) => `  ${field.name}: ${entry(field, style, file)},`),
      "};",
    ];
  });
}

/** Whether a field has a key of its own in JSON. */
function isNamed(field: DescField, file: AdapterFile): boolean {
  const { place, unknown } = file.types.field(field);
  if (unknown || (place !== undefined && place !== "body")) return false;
  if (field.oneof === undefined) return true;
  const { discriminator, layout } = file.types.oneof(field.oneof);
  if (layout === "beside" || layout === "unwrapped") return false;
  const isFlattened = discriminator !== "" ? layout !== "nested" : layout === "flattened";
  return !(isFlattened && field.fieldKind === "message");
}

function entry(field: DescField, style: JsonStyle, file: AdapterFile): string {
  const name = `name: ${printString(requestName(field, style, file.types))}`;
  const zero = zeroValue(field, style, file);
  const message = valueMessageOf(field);
  const isOpen =
    message !== undefined &&
    message.file.proto.package !== "google.protobuf" &&
    !file.types.field(field).unwrap;
  const kind = field.fieldKind === "list" || field.fieldKind === "map" ? `, kind: "${field.fieldKind}"` : "";
  const fields = isOpen ? `, fields: () => ${maskTable(message, style, file)}` : "";
  return `{ ${name}${kind}${zero === undefined ? "" : `, zero: ${zero}`}${fields} }`;
}

/** The value of a field without presence that is not set, as it is in JSON. */
function zeroValue(field: DescField, style: JsonStyle, file: AdapterFile): string | undefined {
  // such a list is one text in JSON
  if (file.types.field(field).style === "comma") return '""';
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return undefined;
  if (field.fieldKind === "enum") return enumZero(field.enum, file);
  if (field.fieldKind !== "scalar") return undefined;
  switch (field.scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return '""';
    case ScalarType.BOOL:
      return "false";
    default: {
      const isText =
        BIG_INTEGERS.has(field.scalar) && !(file.types.field(field).number ?? style.integers === "numbers");
      return isText ? '"0"' : "0";
    }
  }
}

function enumZero(desc: DescEnum, file: AdapterFile): string {
  if (desc.typeName === "google.protobuf.NullValue") return "null";
  return `${enumTable(desc, file)}.json(0)`;
}
