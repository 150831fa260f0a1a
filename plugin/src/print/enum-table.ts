import type { DescEnum } from "@bufbuild/protobuf";
import { localName } from "../descriptors/names.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { typed } from "./erasable.ts";
import { printString } from "./literal.ts";

/** Returns the constant with the spellings of an enum. Prints the constant on the first call. */
export function enumTable(desc: DescEnum, file: AdapterFile): string {
  return file.sharedTable(desc, constantName(localName(desc)), (name, home) => printTable(desc, name, home));
}

/** Returns the expression that writes an enum value as a string or as JSON. */
export function enumValue(desc: DescEnum, value: string, form: "wire" | "json", file: AdapterFile): string {
  const table = enumTable(desc, file);
  if (!hasForeignNumber(desc, file)) return `${table}.${form}(${value})`;
  return `${file.runtimeValue(form === "wire" ? "enumText" : "enumJson")}(${table}, ${value})`;
}

/** Reports whether the digits of a number without a name may be the spelling of another value. */
function hasForeignNumber(desc: DescEnum, file: AdapterFile): boolean {
  const spellings = desc.values.flatMap((value) => {
    const { wire, aliases } = file.types.enumValue(value);
    return [wire ?? value.name, ...aliases].filter((spelling) => spelling !== String(value.number));
  });
  return desc.open && spellings.some((spelling) => /^-?\d+$/.test(spelling));
}

function printTable(desc: DescEnum, name: string, file: AdapterFile): string[] {
  const rows = desc.values.map((value) => {
    const { wire, aliases } = file.types.enumValue(value);
    // requests use the first spelling: aliases are only for responses
    const spellings = new Set([wire ?? value.name, ...aliases, value.name]);
    return `  [${[String(value.number), ...[...spellings].map(printString)].join(", ")}],`;
  });
  const table = file.runtimeValue("EnumTable");
  const comment = docComment(`Spellings of ${desc.typeName} on the wire.`);
  file.declare(name, [...comment, `export declare const ${name}: ${table};`]);
  return [
    ...comment,
    `export const ${name}${typed(table)} = new ${table}(${printString(desc.typeName)}, [`,
    ...rows,
    desc.open ? "]);" : "], { closed: true });",
  ];
}

/** Converts `PostState` to `POST_STATE`. */
export function constantName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
}
