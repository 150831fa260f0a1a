import type { DescEnum } from "@bufbuild/protobuf";
import { localName } from "../descriptors/names.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { printString } from "./literal.ts";

/** The constant of a file that holds an enum's spellings; printed once, at the end of the file. */
export function enumTable(desc: DescEnum, file: AdapterFile): string {
  return file.part(desc, constantName(localName(desc)), (name) => printTable(desc, name, file));
}

function printTable(desc: DescEnum, name: string, file: AdapterFile): string[] {
  const rows = desc.values.map((value) => {
    const { wire, aliases } = file.types.enumValue(value);
    // requests use the first: an alias is only for responses
    const spellings = new Set([wire === "" ? value.name : wire, ...aliases, value.name]);
    return `  [${[String(value.number), ...[...spellings].map(printString)].join(", ")}],`;
  });
  return [
    `/** Spellings of ${desc.typeName} on the wire. */`,
    `const ${name} = new ${file.runtimeValue("EnumTable")}(${printString(desc.typeName)}, [`,
    ...rows,
    desc.open ? "]);" : "], { closed: true });",
  ];
}

/** `PostState` as `POST_STATE`. */
export function constantName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
}
