import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { BIG_INTEGERS } from "../descriptors/big-integers.ts";
import { localName } from "../descriptors/names.ts";
import { valueMessageOf } from "../descriptors/well-known.ts";
import type { MaskSubject } from "../model/masks.ts";
import type { JsonStyle } from "../model/rules.ts";
import { isFlattened as isFlattenedOneof } from "../model/types.ts";
import { requestName } from "../model/wire-names.ts";
import { type AdapterFile, styleSuffix } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { enumTable } from "./enum-table.ts";
import { typed } from "./erasable.ts";
import { printKey, printString } from "./literal.ts";

/**
 * Returns the arguments that follow a mask in the call that writes it as a string: the table of its subject,
 * and the notation of other paths.
 */
export function printMaskArguments(
  subject: MaskSubject | undefined,
  style: JsonStyle,
  file: AdapterFile,
): string {
  const isDeclared = style.names === "asDeclared";
  const table = subject && differingMask(subject.message, style, file);
  if (table === undefined) return isDeclared ? ', undefined, "asDeclared"' : "";
  return `, ${table}${isDeclared ? ', "asDeclared"' : ""}`;
}

/**
 * Returns the table of the names that a mask may use in a message; undefined if the default conversion
 * applies to all paths.
 */
export function differingMask(message: DescMessage, style: JsonStyle, file: AdapterFile): string | undefined {
  return isTranslated(message, style, file, new Set()) ? maskTable(message, style, file) : undefined;
}

/**
 * Reports whether the default conversion gives a wrong name for at least one path in a message, so that a
 * table is needed.
 */
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
    const place = placeOf(field, file);
    return (
      // without a table, the default conversion would change such a name
      (style.names !== "asDeclared" && /[A-Z]|_\d/.test(field.name)) ||
      field.fieldKind === "map" ||
      place.kind === "beside" ||
      place.kind === "flattened" ||
      requestName(field, style, file.types) !== usual ||
      (below !== undefined && isTranslated(below, style, file, seen))
    );
  });
}

/**
 * Returns the table of the names that a mask may use in a message. Prints the table into the file that uses
 * it.
 */
export function maskTable(message: DescMessage, style: JsonStyle, file: AdapterFile): string {
  const suffix = styleSuffix(style, file.style ?? style);
  const print = (name: string) => {
    const fields = message.fields.flatMap((field) => {
      const printed = entry(field, style, file);
      return printed === undefined ? [] : [`  ${printKey(field.name)}: ${printed},`];
    });
    return [
      ...docComment(`What field masks may name of ${message.typeName}.`),
      `const ${name}${typed(file.runtimeType("MaskTable"))} = {`,
      ...fields,
      "};",
    ];
  };
  return file.part(message, `maskOf${localName(message)}${suffix}`, print, "tables");
}

/** The place of a field in JSON. */
type Place =
  | { readonly kind: "own" | "none" }
  /** under a key that all members of the oneof share */
  | { readonly kind: "beside"; readonly payload: string }
  /** its keys are in the object of the outer message, with the key that selects it */
  | { readonly kind: "flattened"; readonly discriminator: string };

function placeOf(field: DescField, file: AdapterFile): Place {
  const { place, unknown } = file.types.field(field);
  if (unknown || (place !== undefined && place !== "body")) return { kind: "none" };
  if (field.oneof === undefined) return { kind: "own" };
  const { discriminator, layout, payload } = file.types.oneof(field.oneof);
  if (layout === "unwrapped") return { kind: "none" };
  if (layout === "beside") return { kind: "beside", payload };
  const isFlattened = field.fieldKind === "message" && isFlattenedOneof(field.oneof, file.types);
  return isFlattened ? { kind: "flattened", discriminator } : { kind: "own" };
}

/** Returns the table entry of a field; undefined if masks cannot name the field. */
function entry(field: DescField, style: JsonStyle, file: AdapterFile): string | undefined {
  const place = placeOf(field, file);
  const fields = tableBelow(field, style, file);
  if (place.kind === "none") return undefined;
  if (place.kind === "flattened") {
    const chooses = place.discriminator === "" ? "" : `discriminator: ${printString(place.discriminator)}, `;
    return fields === undefined ? undefined : `{ ${chooses}${fields} }`;
  }
  const key = place.kind === "beside" ? place.payload : requestName(field, style, file.types);
  const zero = zeroValue(field, style, file);
  const isMany = field.fieldKind === "list" || field.fieldKind === "map";
  const members = [
    `name: ${printString(key)}`,
    ...(isMany ? [`kind: "${field.fieldKind}"`] : []),
    ...(zero === undefined ? [] : [`zero: ${zero}`]),
    ...(fields === undefined ? [] : [fields]),
  ];
  return `{ ${members.join(", ")} }`;
}

/** Returns the table for the message of a field, if the message is written field by field. */
function tableBelow(field: DescField, style: JsonStyle, file: AdapterFile): string | undefined {
  const message = valueMessageOf(field);
  if (message === undefined || message.file.proto.package === "google.protobuf") return undefined;
  if (file.types.field(field).unwrap) return undefined;
  return `fields: () => ${maskTable(message, style, file)}`;
}

/** Returns the JSON of an unset field without presence. */
function zeroValue(field: DescField, style: JsonStyle, file: AdapterFile): string | undefined {
  // such a list is one string in JSON
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
