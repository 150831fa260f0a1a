import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { localName } from "../descriptors/names.ts";
import { isWrapper, valueMessageOf } from "../descriptors/well-known.ts";
import { unwrappedOneof } from "../model/types.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { enumValue } from "./enum-table.ts";
import { typed } from "./erasable.ts";
import { printInline, printString } from "./literal.ts";
import { durationRule, timeArguments } from "./time-rule.ts";
import { memberTypes } from "./union.ts";

/**
 * Returns one value of a field (an item, if the field is repeated) as an expression for a path, a query, a
 * form or a header.
 *
 * @param maskArguments the arguments after the mask, if the field is a google.protobuf.FieldMask
 */
export function textValue(
  field: DescField,
  value: string,
  file: AdapterFile,
  urlSafe = false,
  maskArguments = "",
): string {
  const enumeration = enumOf(field);
  if (enumeration !== undefined) return enumValue(enumeration, value, "wire", file);
  const message = valueMessageOf(field);
  if (message?.typeName === "google.protobuf.FieldMask") {
    return `${file.runtimeValue("fieldMaskText")}(${value}${maskArguments})`;
  }
  if (message !== undefined) return messageText(field, message, value, file, urlSafe);
  return isBytes(field) ? parameterBytes(field, value, file, urlSafe) : value;
}

/** Returns bytes for a parameter. Raw bytes are passed as bytes, each of which is percent-encoded. */
function parameterBytes(field: DescField, value: string, file: AdapterFile, urlSafe: boolean): string {
  return file.types.field(field).bytes === "raw" ? value : bytesText(field, value, file, urlSafe);
}

function messageText(
  field: DescField,
  message: DescMessage,
  value: string,
  file: AdapterFile,
  urlSafe: boolean,
): string {
  if (message.typeName === "google.protobuf.Timestamp") {
    return `${file.runtimeValue("timeText")}(${value}, ${timeArguments(file.types.field(field).time)})`;
  }
  if (message.typeName === "google.protobuf.Duration") {
    const rule = durationRule(file.types.field(field).time);
    if (rule === undefined) return `${file.runtimeValue("durationText")}(${value})`;
    return `${file.runtimeValue("spanText")}(${value}, ${rule})`;
  }
  if (isWrapper(message)) {
    const inner = isUnboxed(field) ? value : `${value}.value`;
    const isBytesValue = message.typeName === "google.protobuf.BytesValue";
    return isBytesValue ? parameterBytes(field, inner, file, urlSafe) : inner;
  }
  return `${textEncoderOf(message, file)}(${value})`;
}

/** Returns the function that writes a oneof of scalars as text. Prints it into the file that uses it. */
function textEncoderOf(desc: DescMessage, file: AdapterFile): string {
  const oneof = unwrappedOneof(desc, file.types);
  if (oneof === undefined) throw new Error(`${desc} cannot be written as text`);
  const union = `message.${oneof.localName}`;
  const all = printInline(oneof.fields.flatMap((field) => memberTypes(field, file.types)));
  return file.part(desc, `textOf${localName(desc)}`, (name) => {
    const cases = oneof.fields.flatMap((field) => {
      const text = textValue(field, `${union}.value`, file);
      const types = printInline(memberTypes(field, file.types));
      return [
        `    case ${printString(field.localName)}:`,
        `      return ${file.runtimeValue("memberText")}(${text}, ${printString(field.name)}, ${types}, ${all}, ${union}.value);`,
      ];
    });
    return [
      ...docComment(`Writes ${desc.typeName} as text.`),
      `function ${name}(message${typed(file.messageType(desc))})${typed(file.runtimeType("PathValue"))} {`,
      `  switch (${union}.case) {`,
      ...cases,
      "  }",
      `  throw ${file.runtimeValue("noMember")}(${printString(oneof.name)}, message);`,
      "}",
    ];
  });
}

/** Returns bytes as a string, by the rule of the field. */
export function bytesText(field: DescField, value: string, file: AdapterFile, urlSafe = false): string {
  const { bytes } = file.types.field(field);
  if (bytes === "raw") return `${file.runtimeValue("rawText")}(${value})`;
  const url = bytes === "base64url" || (urlSafe && bytes === undefined);
  return `${file.runtimeValue(url ? "base64Url" : "base64")}(${value})`;
}

/**
 * Reports whether protobuf-es represents a wrapper as its bare value, as it does outside of oneofs and lists.
 */
export function isUnboxed(field: DescField): boolean {
  return field.fieldKind === "message" && field.oneof === undefined;
}

/** Reports whether the values of a field are bytes. */
export function isBytes(field: DescField): boolean {
  return "scalar" in field && field.scalar === ScalarType.BYTES;
}

/** Returns the enum of a field's values. */
export function enumOf(field: DescField): DescEnum | undefined {
  return "enum" in field ? field.enum : undefined;
}
