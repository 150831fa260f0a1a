/** Reports the current measurement on standard error, because a complete run takes long. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
}
