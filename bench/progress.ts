/** Says on standard error what is being measured: a whole run takes long. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
}
