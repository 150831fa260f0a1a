import type { DescFile } from "@bufbuild/protobuf";

/** A file after everything that it imports, each once. */
export function withImports(file: DescFile, seen: Set<DescFile> = new Set()): DescFile[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...file.dependencies.flatMap((imported) => withImports(imported, seen)), file];
}
