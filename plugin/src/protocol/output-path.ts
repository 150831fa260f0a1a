/**
 * Returns the fault of the path of a generated file; undefined if the path is safe: relative to the output
 * directory, with `/` between its components, none of which is empty, `.` or `..` (plugin.proto,
 * CodeGeneratorResponse.File.name).
 */
export function pathFault(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.startsWith("/")) return "it is absolute; paths are relative to the output directory";
  if (path.includes("\\")) return "it has a backslash; components are separated by `/`";
  // the path also occurs in comments, which a line end would terminate
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return "it has a control character";
  for (const component of path.split("/")) {
    if (component === "") return "it has an empty component";
    if (component === "." || component === "..") return `it has the component \`${component}\``;
  }
  return undefined;
}
