import { typed } from "./erasable.ts";

/** A method of an object literal. */
export interface FunctionParts {
  readonly name: string;
  /**
   * The parameters. Their types are functions that are called only if the parameter is printed, since a call
   * imports the type.
   */
  readonly parameters: ReadonlyArray<readonly [name: string, type: () => string]>;
  readonly result: string;
  readonly lines: readonly string[];
}

/**
 * Prints a method of an object literal. Unused parameters are omitted at the end of the list, and begin with
 * an underscore elsewhere.
 */
export function printFunction({ name, parameters, result, lines }: FunctionParts): string[] {
  const text = lines.join("\n");
  const isUsed = ([parameter]: FunctionParts["parameters"][number]) =>
    new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${parameter}(?![\\w$])`).test(text);
  const list = parameters
    .slice(0, parameters.findLastIndex(isUsed) + 1)
    .map((each) => `${isUsed(each) ? "" : "_"}${each[0]}${typed(each[1]())}`);
  const head = `${name}(${list.join(", ")})${typed(result)} {`;
  return lines.length === 0 ? [`${head}},`] : [head, ...lines.map((line) => `  ${line}`), "},"];
}
