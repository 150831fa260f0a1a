import { type Prepared, prepare } from "../config/inspect.ts";
import { formatProblem } from "../config/problems.ts";
import { usesOf, warningsOf } from "../config/upstream-uses.ts";
import { printError, printLine } from "./output.ts";

/**
 * Runs `connect-rest check-config`: reports every problem of the file, its secrets, certificates and adapters
 * together. For a valid configuration, prints the services that call each upstream, and warnings.
 */
export async function checkConfig({ config: file }: { readonly config: string }): Promise<void> {
  report(await prepare(file, process.env));
}

/** Prints the summary of a valid configuration, with warnings. */
function report({ config, adapters }: Prepared): void {
  printLine(`${config.file} is valid: ${countOf(adapters.length)}`);
  for (const use of usesOf(config, adapters)) printLine(`  upstream ${use}`);
  for (const warning of warningsOf(config, adapters)) printError(`warning: ${formatProblem(warning)}`);
}

function countOf(services: number): string {
  return services === 1 ? "1 service" : `${services} services`;
}
