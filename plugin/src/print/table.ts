/** The tables of messages. */
import type { DescMessage } from "@bufbuild/protobuf";
import { commentOf } from "../descriptors/comments.ts";
import { localName } from "../descriptors/names.ts";
import type { JsonStyle } from "../model/rules.ts";
import {
  type Entry,
  type FieldEntry,
  type HeadEntry,
  isDescriptor,
  type Kind,
  type KindRules,
} from "../table/entry.ts";
import { messageEntries } from "../table/message.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment, withProvenance } from "./doc-comment.ts";
import { enumTable } from "./enum-table.ts";
import { typed } from "./erasable.ts";
import { Expression, type Literal, printInline } from "./literal.ts";
import { differingMask } from "./mask-table.ts";

/** The messages with a special JSON form, whose tables are in the runtime. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  ["Struct", "Value", "ListValue", "Empty"].map((name) => `google.protobuf.${name}`),
);

/**
 * The style of mask names in responses: lowerCamel. Names of fields are looked up as declared and in
 * lowerCamel.
 */
const RESPONSE_STYLE: JsonStyle = { names: "lowerCamel", integers: "strings", required: "sent" };

/** Returns the name of the table of a message. Prints the table on the first call. */
export function tableOf(desc: DescMessage, file: AdapterFile): string {
  if (WELL_KNOWN.has(desc.typeName)) return file.runtimeValue(`${desc.name}Table`);
  if (desc.typeName === "google.protobuf.Any") return file.anyTable();
  return file.sharedTable(desc, `${localName(desc)}Table`, (name, home) => printTable(desc, name, home));
}

function printTable(desc: DescMessage, name: string, file: AdapterFile): string[] {
  const type = file.runtimeType("MessageTable");
  const [summary = ""] = commentOf(desc).split("\n\n");
  const comment = docComment(withProvenance(summary, `message ${desc.typeName}`));
  file.declare(name, [...comment, `export declare const ${name}: ${type};`]);
  const entries = messageEntries(desc, file.types).flatMap((entry) => entryLines(entry, file));
  const head = `export const ${name}${typed(type)} = ${file.runtimeValue("table")}("${desc.typeName}", () => [`;
  return [...comment, ...(entries.length === 0 ? [`${head}]);`] : [head, ...indented(entries), "]);"])];
}

/** Prints a field as one line of a table. */
export function printField(field: FieldEntry | HeadEntry, file: AdapterFile): string {
  return printInline(fieldLiteral(field, file));
}

function entryLines(entry: Entry, file: AdapterFile): string[] {
  if (isField(entry)) return [`${printField(entry, file)},`];
  if ("oneOf" in entry) {
    const fields = entry.oneOf.map((field) => printField(field, file));
    return objectLines(listLines("oneOf", fields));
  }
  if ("tuple" in entry) {
    const fields = entry.tuple.map((field) => printField(field, file));
    const rest = entry.rest && fieldLiteral(entry.rest, file);
    return objectLines([...listLines("tuple", fields), ...memberLines({ rest })]);
  }
  if (!("when" in entry)) return [`${printInline(entry)},`];
  const { when, otherwise, ...others } = entry;
  const cases = when.map(({ as, ...condition }) =>
    printInline({ ...condition, as: as && fieldLiteral(as, file) }),
  );
  const { lost, ...names } = { lost: undefined, ...others };
  return objectLines([
    ...memberLines(names),
    ...listLines("when", cases),
    ...memberLines({ otherwise: otherwise && fieldLiteral(otherwise, file), lost }),
  ]);
}

function isField(entry: Entry): entry is FieldEntry {
  return Array.isArray(entry);
}

function objectLines(members: readonly string[]): string[] {
  return ["{", ...indented(members), "},"];
}

function listLines(name: string, items: readonly string[]): string[] {
  return [`${name}: [`, ...indented(items.map((item) => `${item},`)), "],"];
}

function memberLines(members: Readonly<Record<string, Literal>>): string[] {
  const printed = Object.entries(members).filter(([, value]) => value !== undefined);
  return printed.map(([name, value]) => `${name}: ${printInline(value)},`);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function fieldLiteral([number, kind, ...keys]: FieldEntry | HeadEntry, file: AdapterFile): Literal {
  return [number, kindLiteral(kind, file), ...keys];
}

function kindLiteral(kind: Kind, file: AdapterFile): Literal {
  if (typeof kind === "string") return kind;
  if (isDescriptor(kind)) {
    return new Expression(kind.kind === "enum" ? enumTable(kind, file) : tableOf(kind, file));
  }
  if ("fieldMask" in kind) return maskLiteral(kind.fieldMask as DescMessage, file);
  const parts = Object.entries(kind).filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts.map(([rule, part]) => [rule, partLiteral(part, file)]));
}

/**
 * Returns the kind of a field mask: a table of the names in masks or, if all names are in lowerCamel,
 * `fieldMask`.
 */
function maskLiteral(message: DescMessage, file: AdapterFile): Literal {
  const mask = differingMask(message, RESPONSE_STYLE, file);
  return mask === undefined ? "fieldMask" : { fieldMask: new Expression(mask) };
}

function partLiteral(part: KindRules[string], file: AdapterFile): Literal {
  if (part === undefined || part === true) return part;
  if (!Array.isArray(part)) return kindLiteral(part as Kind, file);
  return typeof part[0] === "number" ? fieldLiteral(part as unknown as FieldEntry, file) : part;
}
