/** Prints a line on standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line on standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
