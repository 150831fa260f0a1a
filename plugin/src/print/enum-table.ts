import type { DescEnum } from "@bufbuild/protobuf";
import { localName } from "../descriptors/names.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { typed } from "./erasable.ts";
import { printString } from "./literal.ts";

/** The constant that holds an enum's spellings; printed where it is first asked for. */
export function enumTable(desc: DescEnum, file: AdapterFile): string {
  return file.sharedTable(desc, constantName(localName(desc)), (name, home) => printTable(desc, name, home));
}

function printTable(desc: DescEnum, name: string, file: AdapterFile): string[] {
  const rows = desc.values.map((value) => {
    const { wire, aliases } = file.types.enumValue(value);
    // requests use the first: an alias is only for responses
    const spellings = new Set([wire === "" ? value.name : wire, ...aliases, value.name]);
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

/** `PostState` as `POST_STATE`. */
export function constantName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
}
