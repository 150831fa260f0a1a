import type { DescFile } from "@bufbuild/protobuf";

/** Returns a file after all files that it imports, each file once. */
export function withImports(file: DescFile, seen: Set<DescFile> = new Set()): DescFile[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...file.dependencies.flatMap((imported) => withImports(imported, seen)), file];
}
