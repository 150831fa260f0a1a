import { suggest } from "../parse/field-path.ts";
import type { ImportExtension } from "../print/source-file.ts";

/** Options of the generator, from CodeGeneratorRequest.parameter. */
export interface Options {
  /** What relative imports end in. Default: `none`, as with protoc-gen-es. */
  readonly importExtension: ImportExtension;
}

/** An option that is unknown or has an unknown value. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

const KNOWN = ["target", "import_extension"];

/**
 * Parses options as `buf` and `protoc` pass them: `key=value`, separated by commas.
 *
 * @throws ParameterError
 */
export function parseParameter(parameter: string): Options {
  let importExtension: ImportExtension = "none";
  for (const item of parameter.split(",").filter((text) => text.trim() !== "")) {
    const [key = "", value = ""] = item.trim().split(/=(.*)/s);
    if (key === "import_extension") importExtension = parseExtension(value);
    else if (key === "target") checkTarget(value);
    else throw new ParameterError(`unknown option \`${key}\`${suggest(key, KNOWN)}`);
  }
  return { importExtension };
}

function parseExtension(value: string): ImportExtension {
  const extension = value.replace(/^\./, "");
  if (extension === "ts" || extension === "js" || extension === "none") return extension;
  throw new ParameterError(`option import_extension=${value}: expected ts, js or none`);
}

function checkTarget(value: string): void {
  if (value !== "ts") throw new ParameterError(`option target=${value}: expected ts`);
}
