import { parseArgs } from "node:util";

/** The parsed command line. */
export interface Arguments {
  /** A path, or `-` for standard input. */
  readonly document: string;
  readonly output: string;
  readonly package: string | undefined;
  readonly upstream: string | undefined;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly paginate: readonly string[];
  readonly report: string | undefined;
  readonly allowRemote: boolean;
  /** Folders outside of the document's folder from which references may read files. */
  readonly allowPath: readonly string[];
}

export const USAGE = `Usage: connect-rest-import DOCUMENT [options]

Writes annotated .proto files from an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0 document, in JSON or YAML. DOCUMENT is a
file, or - for the standard input.

  --output FOLDER     where to write (default: the working directory)
  --package NAME      the proto package, e.g. shop.v1 (default: from the title of the document)
  --upstream NAME     the upstream in connect-rest.yaml (default: the first part of the package)
  --include PATTERN   only operations whose path, "VERB path", tag or operationId fits; * is any text; may be repeated
  --exclude PATTERN   no operations that fit; may be repeated
  --paginate PATTERN  also streams all items of operations that fit, and whose pages are only likely; may be repeated
  --report FILE       writes, as Markdown, everything that is not expressible, with its place in the document
  --allow-remote      fetches documents that references name by their URL
  --allow-path FOLDER also reads files below this folder, to which references lead; may be repeated
  --help              prints this
`;

const PACKAGE = /^[a-z][a-z0-9]*(?:[._][a-z][a-z0-9]*)*\.v[1-9]\d*(?:(?:alpha|beta)[1-9]\d*)?$/;

/** Returns the arguments, or the error message for invalid arguments. */
export function parseArguments(args: readonly string[]): Arguments | { readonly problem: string } | "help" {
  const parsed = parsedOptions(args);
  if ("problem" in parsed) return parsed;
  const { values, positionals } = parsed;
  if (values.help === true) return "help";
  const [document, ...others] = positionals;
  if (document === undefined) return { problem: "no DOCUMENT; pass the path of an OpenAPI document, or -" };
  if (others.length > 0) return { problem: `one DOCUMENT is imported, but there are ${positionals.length}` };
  const packageName = values.package;
  if (packageName !== undefined && !PACKAGE.test(packageName)) {
    return {
      problem: `--package ${packageName}: expected a proto package that ends in a version, e.g. shop.v1`,
    };
  }
  if (values.upstream !== undefined && !/^[\w-]+$/.test(values.upstream)) {
    return { problem: `--upstream ${values.upstream}: expected letters, digits, _ and -` };
  }
  return {
    document,
    output: values.output ?? ".",
    package: packageName,
    upstream: values.upstream,
    include: values.include ?? [],
    exclude: values.exclude ?? [],
    paginate: values.paginate ?? [],
    report: values.report,
    allowRemote: values["allow-remote"] ?? false,
    allowPath: values["allow-path"] ?? [],
  };
}

function parsedOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        output: { type: "string" },
        package: { type: "string" },
        upstream: { type: "string" },
        include: { type: "string", multiple: true },
        exclude: { type: "string", multiple: true },
        paginate: { type: "string", multiple: true },
        report: { type: "string" },
        "allow-remote": { type: "boolean" },
        "allow-path": { type: "string", multiple: true },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
