import { readFileSync } from "node:fs";

const FILE = new URL("authorization-requirements.txt", import.meta.url);

/** One requirement of the authorization profile, and the test that shows that it is met. */
export interface Requirement {
  readonly number: string;
  /** As RFC 2119 has it. */
  readonly level: string;
  readonly provider: string;
  readonly text: string;
  /** Undefined where no test shows it yet. */
  readonly test: { readonly file: string; readonly name: string } | undefined;
}

/** The requirements, in the order of the document. */
export function readRequirements(): Requirement[] {
  const lines = readFileSync(FILE, "utf8").split("\n");
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [number = "", level = "", provider = "", text = "", file = "", ...rest] = line.split(" | ");
      const test = file === "-" ? undefined : { file, name: rest.join(" | ") };
      return { number, level, provider, text, test };
    });
}
