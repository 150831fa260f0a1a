import { standardError, standardOutput } from "../log/standard-streams.ts";

/** How long an exiting server waits for its output to be read, in milliseconds. */
export const LAST_LINES_MS = 1000;

let patienceMs = Number.POSITIVE_INFINITY;
let mustBeRead = true;

/** Prints text on standard output. */
export function printText(text: string): void {
  standardOutput().write(text);
}

/** Prints text on standard error. */
export function printErrorText(text: string): void {
  standardError().write(text);
}

/** Prints a line on standard output. */
export function printLine(line: string): void {
  standardOutput().write(`${line}\n`);
}

/** Prints a line on standard error. */
export function printError(line: string): void {
  standardError().write(`${line}\n`);
}

/**
 * Limits the wait of `flushOutput` to one second: a server must exit when asked to, even if its output is not
 * read.
 */
export function endWithoutReader(): void {
  patienceMs = LAST_LINES_MS;
  mustBeRead = false;
}

/**
 * Resolves once all printed and logged output has been written: to false if a command's output could not be
 * written, else to true. A server's output may be lost. Prints the cause to standard error, unless the reader
 * has closed the pipe.
 */
export async function flushOutput(): Promise<boolean> {
  await standardOutput().flush(patienceMs);
  const { failure } = standardOutput();
  const isWritten = failure === undefined || !mustBeRead;
  if (!isWritten && !("code" in failure && failure.code === "EPIPE")) {
    printError(`error: standard output cannot be written: ${failure.message}`);
  }
  await standardError().flush(patienceMs);
  return isWritten;
}
