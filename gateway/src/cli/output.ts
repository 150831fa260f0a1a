import { standardError, standardOutput } from "../log/standard-streams.ts";

/** How long a server that ends waits for those who read its output, in milliseconds. */
export const LAST_LINES_MS = 1000;

let patienceMs = Number.POSITIVE_INFINITY;
let mustBeRead = true;

/** Prints lines on standard output. */
export function printText(text: string): void {
  standardOutput().write(text);
}

/** Prints lines on standard error. */
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
 * From now on `flushOutput` waits for a second only: a server must end when it is told to,
 * whoever reads its output.
 */
export function endWithoutReader(): void {
  patienceMs = LAST_LINES_MS;
  mustBeRead = false;
}

/**
 * Resolves when everything that was printed and logged is out: with whether all that a command had to print
 * could be written. A server has nothing that must be read. Why it could not is printed to standard error,
 * unless its reader has just had enough.
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
