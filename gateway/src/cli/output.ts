import { standardError, standardOutput } from "../log/standard-streams.ts";

/** How long a server that ends waits for those who read its output, in milliseconds. */
export const LAST_LINES_MS = 1000;

let patienceMs = Number.POSITIVE_INFINITY;

/** Prints a line on standard output. */
export function printLine(line: string): void {
  standardOutput().write(`${line}\n`);
}

/** Prints a line on standard error. */
export function printError(line: string): void {
  standardError().write(`${line}\n`);
}

/** From now on `flushOutput` waits for a second only: a server must end when it is told to, whoever reads its output. */
export function endWithoutReader(): void {
  patienceMs = LAST_LINES_MS;
}

/** Resolves when everything that was printed and logged is out. */
export async function flushOutput(): Promise<void> {
  await Promise.all([standardOutput().flush(patienceMs), standardError().flush(patienceMs)]);
}
