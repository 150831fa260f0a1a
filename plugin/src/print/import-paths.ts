import type { DescFile } from "@bufbuild/protobuf";
import type { ImportOptions, ImportRule } from "../protocol/options.ts";

/** The package with the messages of google.protobuf. */
const WELL_KNOWN = "@bufbuild/protobuf/wkt";

/**
 * Returns the module with the messages of a .proto file, relative to the output directory:
 * `./blog/v1/post_pb.js`, or a path in a package.
 */
export function messagesModule(desc: DescFile, { mapImports }: ImportOptions): string {
  if (desc.proto.package === "google.protobuf") return WELL_KNOWN;
  const found = mapImports.find(({ pattern }) => globOf(pattern, "deep").test(desc.proto.name));
  return `${found === undefined ? "." : found.target.replace(/\/$/, "")}/${desc.name}_pb.js`;
}

/**
 * Returns the specifier with which a file imports a module.
 *
 * @param importer the path of the file relative to the output directory
 * @param module a package, or a path relative to the output directory, with the prefix `./` and the extension
 *   `.js`
 */
export function specifierOf(importer: string, module: string, options: ImportOptions): string {
  const rewritten = rewrite(module, options.rewriteImports);
  if (!isRelative(rewritten)) return rewritten;
  const extension = options.importExtension === "none" ? "" : `.${options.importExtension}`;
  return relativeTo(importer, rewritten.replace(/\.js$/, extension));
}

function rewrite(module: string, rules: readonly ImportRule[]): string {
  const found = rules.find(({ pattern }) => globOf(pattern, "flat").test(module));
  if (found === undefined) return module;
  return isRelative(module)
    ? module.replace(/^\.{1,2}\//, `${found.target.replace(/\/$/, "")}/`)
    : found.target;
}

function isRelative(module: string): boolean {
  return /^\.{1,2}\//.test(module);
}

function relativeTo(importer: string, module: string): string {
  const here = importer.split("/").slice(0, -1);
  const there = module
    .replace(/^\.\//, "")
    .split("/")
    .filter((step) => step !== "");
  let common = 0;
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++;
  const up = here.slice(common).map(() => "..");
  const steps = [...up, ...there.slice(common)].join("/");
  return isRelative(steps) ? steps : `./${steps}`;
}

/**
 * Converts a pattern to a regular expression. In a deep pattern, only `**` matches slashes, and a trailing
 * slash matches everything in the folder.
 */
function globOf(pattern: string, kind: "deep" | "flat"): RegExp {
  const tokens = kind === "deep" ? /\*\*\/|\*\*|\*|[^*/]+|\//g : /\*\*\/|\*|[^*]+/g;
  const source = (pattern.match(tokens) ?? []).map((token, index, all) => {
    if (token === "**/") return "(?:[^/]+/)*";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    const isBelow = kind === "deep" && token === "/" && index === all.length - 1;
    return isBelow ? "/.*" : token.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`);
}
