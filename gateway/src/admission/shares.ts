/** Counts what is taken by name, and forgets names that have nothing. */
export class Shares {
  readonly #taken = new Map<string, number>();

  of(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  take(name: string): void {
    this.#taken.set(name, this.of(name) + 1);
  }

  giveBack(name: string): void {
    const left = this.of(name) - 1;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
  }
}
