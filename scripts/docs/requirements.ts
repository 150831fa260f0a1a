import { readFileSync } from "node:fs";

const FILE = new URL("authorization-requirements.txt", import.meta.url);

/** A requirement of the authorization profile, and the test that verifies it. */
export interface Requirement {
  readonly number: string;
  /** The level of RFC 2119, such as MUST. */
  readonly level: string;
  readonly provider: string;
  readonly text: string;
  /** The test; undefined if the requirement has no test. */
  readonly test: { readonly file: string; readonly name: string } | undefined;
}

/** Reads the requirements, in the order of the document. */
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
