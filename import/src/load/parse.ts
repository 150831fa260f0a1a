import { LineCounter, parseDocument } from "yaml";
import type { Json } from "../json.ts";
import { ImportError } from "../problem.ts";

/**
 * The maximum number of resolved aliases in a YAML file. A few hundred bytes of aliases can expand to
 * gigabytes.
 */
const MAX_ALIASES = 1000;

/** Parses JSON or YAML. */
export function parse(text: string, name: string): Json {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (source.trim() === "") throw new ImportError(name, "is empty; expected an OpenAPI document");
  if (/^\s*[{[]/.test(source)) {
    try {
      return JSON.parse(source) as Json;
    } catch (error) {
      // YAML flow mappings begin like JSON, so only the file name shows that JSON was intended
      if (name.endsWith(".json")) throw new ImportError(name, `is not JSON: ${messageOf(error)}`);
    }
  }
  return parseYaml(source, name);
}

function parseYaml(text: string, name: string): Json {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new ImportError(`${name}:${line}:${col}`, `is neither JSON nor YAML: ${error.message}`);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as Json;
  } catch (failure) {
    if (!(failure instanceof ReferenceError)) throw failure;
    const advice = "write the repeated parts out, or refer to them by `$ref`";
    throw new ImportError(name, `its YAML aliases stand for too much, as in an attack; ${advice}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
