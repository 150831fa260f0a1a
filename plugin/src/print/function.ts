import { typed } from "./erasable.ts";

/** A method of an object literal. */
export interface FunctionParts {
  readonly name: string;
  readonly parameters: ReadonlyArray<readonly [name: string, type: string]>;
  readonly result: string;
  readonly lines: readonly string[];
}

/** Prints a method of an object literal. Parameters that its lines do not use begin with an underscore. */
export function printFunction({ name, parameters, result, lines }: FunctionParts): string[] {
  const text = lines.join("\n");
  const list = parameters.map(([parameter, type]) => {
    const isUsed = new RegExp(`(?<![\\w$.])${parameter}(?![\\w$])`).test(text);
    return `${isUsed ? "" : "_"}${parameter}${typed(type)}`;
  });
  return [`${name}(${list.join(", ")})${typed(result)} {`, ...lines.map((line) => `  ${line}`), "},"];
}
