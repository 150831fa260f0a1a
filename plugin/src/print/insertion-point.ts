import type { DescMethod, DescService } from "@bufbuild/protobuf";

/** Behind the imports of a generated file. The kit puts imports there by itself. */
export const IMPORTS = "imports";
/** At the end of a generated file. */
export const END = "end";

/** The insertion point inside the adapter object of a service, for further properties. */
export function adapterPoint(desc: DescService): string {
  return `adapter:${desc.typeName}`;
}

/** The insertion point behind the adapter of a service. */
export function servicePoint(desc: DescService): string {
  return `service:${desc.typeName}`;
}

/** The insertion point behind a method's part of the adapter. */
export function methodPoint(desc: DescMethod): string {
  return `method:${desc.parent.typeName}.${desc.name}`;
}

/**
 * The line that marks an insertion point (compiler plugin protocol,
 * CodeGeneratorResponse.File.insertion_point). Each name occurs once a file, since protoc and buf differ on a
 * marker that occurs twice.
 */
export function insertionPoint(name: string): string {
  return `// @@protoc_insertion_point(${name})`;
}
