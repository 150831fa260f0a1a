import type { DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import { adapterPath } from "../print/adapter-file.ts";

/** Behind the imports of a generated file. The kit puts imports there by itself. */
export const IMPORTS = "imports";
/** At the end of a generated file. */
export const END = "end";

/** The insertion point behind the adapter of a service. */
export function servicePoint(desc: DescService): string {
  return `service:${desc.typeName}`;
}

/** The insertion point behind a method's part of the adapter. */
export function methodPoint(desc: DescMethod): string {
  return `method:${desc.parent.typeName}.${desc.name}`;
}

/** Where the adapters of a .proto file go, below the output directory: `blog/v1/post_rest.ts`. */
export function adapterFilePath(desc: DescFile): string {
  return `${adapterPath(desc)}.ts`;
}
