/**
 * The maximum ratio of the amount that a caller holds to the free amount. It gives a single caller three
 * quarters of a limit.
 */
const HELD_PER_FREE = 3;

/**
 * Tracks the amounts that callers hold of one limit, and decides which caller may hold more. All limits that
 * callers share follow the same two rules. The first rule is for resources that cannot be taken back, such as
 * running calls: a caller may take more only while the free amount stays at least a third of the caller's new
 * amount. The first caller thus gets three quarters, the next caller three quarters of the rest, and so on.
 * The second rule is for resources that can be taken back: callers may hold everything, and the caller that
 * holds most loses to a caller that would still hold less. Callers that hold nothing are forgotten.
 */
export class FairShare {
  private readonly limit: () => number;
  private readonly byCaller = new Map<string, number>();
  private all = 0;

  /** @param limit returns the limit, which may change over time */
  constructor(limit: () => number) {
    this.limit = limit;
  }

  /** The total amount that callers hold. */
  get total(): number {
    return this.all;
  }

  /** The number of callers that hold something. */
  get callers(): number {
    return this.byCaller.size;
  }

  heldBy(caller: string): number {
    return this.byCaller.get(caller) ?? 0;
  }

  /** Reports whether the limit has room for an amount, and the caller would also leave enough for others. */
  hasRoom(caller: string, amount = 1): boolean {
    const free = this.limit() - this.all - amount;
    if (free < 0) return false;
    // no single caller can hold more than all callers together
    if (this.all + amount <= HELD_PER_FREE * free) return true;
    return Math.floor((this.heldBy(caller) + amount) / HELD_PER_FREE) <= free;
  }

  /**
   * Returns the caller that has to give something back so that `winner` can take an amount: the caller that
   * holds most, among the callers that can lose. Returns undefined if that caller would then hold less than
   * the winner.
   */
  loser(winner: string, amount = 1, canLose: (caller: string) => boolean = () => true): string | undefined {
    let [loser, most]: [string | undefined, number] = [undefined, this.heldBy(winner) + amount];
    for (const [caller, held] of this.byCaller) {
      if (held > most && caller !== winner && canLose(caller)) [loser, most] = [caller, held];
    }
    return loser;
  }

  add(caller: string, amount = 1): void {
    this.all += amount;
    this.byCaller.set(caller, this.heldBy(caller) + amount);
  }

  remove(caller: string, amount = 1): void {
    this.all -= amount;
    const left = this.heldBy(caller) - amount;
    if (left > 0) {
      this.byCaller.set(caller, left);
    } else {
      this.byCaller.delete(caller);
    }
  }

  clear(): void {
    this.all = 0;
    this.byCaller.clear();
  }
}
