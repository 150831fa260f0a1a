import { CommanderError } from "commander";
import { ConfigError } from "../config/problems.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { flushOutput, printError } from "./output.ts";
import { createProgram } from "./program.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
if (!(await flushOutput())) process.exitCode ||= EXIT_STATUS.failure;
// Everything is closed at this point; a timer that an adapter has not cleared must not keep the process
// running.
process.exit();

/** Prints an error, and returns the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_STATUS.ok : EXIT_STATUS.usage;
  if (error instanceof ConfigError) {
    printError(error.message);
    return EXIT_STATUS.usage;
  }
  printError(`error: ${error instanceof Error ? error.message : String(error)}`);
  return EXIT_STATUS.failure;
}
