import type { DescMethod, DescService } from "@bufbuild/protobuf";

/** The insertion point after the imports of a generated file. Only the kit inserts there. */
export const IMPORTS = "imports";
/** The insertion point at the end of a generated file. */
export const END = "end";

/** Returns the insertion point inside the adapter object of a service, for further properties. */
export function adapterPoint(desc: DescService): string {
  return `adapter:${desc.typeName}`;
}

/** Returns the insertion point after the adapter of a service. */
export function servicePoint(desc: DescService): string {
  return `service:${desc.typeName}`;
}

/** Returns the insertion point after the part of a method in the adapter. */
export function methodPoint(desc: DescMethod): string {
  return `method:${desc.parent.typeName}.${desc.name}`;
}

/**
 * Returns the line that marks an insertion point (compiler plugin protocol,
 * CodeGeneratorResponse.File.insertion_point). Each name occurs once per file, since protoc and buf treat
 * repeated markers differently.
 */
export function insertionPoint(name: string): string {
  return `// @@protoc_insertion_point(${name})`;
}
