/**
 * The line that marks an insertion point (compiler plugin protocol, CodeGeneratorResponse.File.insertion_point).
 * Each name occurs once a file, since protoc and buf differ on a marker that occurs twice.
 */
export function insertionPoint(name: string): string {
  return `// @@protoc_insertion_point(${name})`;
}
