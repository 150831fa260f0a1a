import { loadConfig } from "../config/load.ts";
import { printConfig } from "../config/print.ts";
import { printLine } from "./output.ts";

/** Runs `connect-rest print-config`: prints the effective configuration without secrets. */
export function printConfigCommand({ config: file }: { readonly config: string }): void {
  printLine(printConfig(loadConfig(file, process.env), process.env).trimEnd());
}
