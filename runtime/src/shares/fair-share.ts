/** How much a caller may hold for each piece that stays free: one caller gets three quarters of a limit. */
const HELD_PER_FREE = 3;

/**
 * What callers hold of one limit, and which of them may hold more. All limits that callers share have the
 * same two rules. Where nothing can be taken back, such as calls that run, a caller takes more only as long
 * as a third of what it then holds stays free: the first one gets three quarters, the next one three quarters
 * of the rest, and so on. Where something can be taken back, callers may hold all, and the caller that holds
 * most loses it to a caller that would still hold less. Callers that hold nothing are forgotten.
 */
export class FairShare {
  private readonly limit: () => number;
  private readonly byCaller = new Map<string, number>();
  private all = 0;

  /** @param limit how much there is, which may change */
  constructor(limit: () => number) {
    this.limit = limit;
  }

  /** What all callers hold. */
  get total(): number {
    return this.all;
  }

  /** How many callers hold something. */
  get callers(): number {
    return this.byCaller.size;
  }

  heldBy(caller: string): number {
    return this.byCaller.get(caller) ?? 0;
  }

  /** Whether there is more, and a caller leaves enough of it to others. */
  hasRoom(caller: string, amount = 1): boolean {
    const free = this.limit() - this.all - amount;
    if (free < 0) return false;
    // no caller holds more than all
    if (this.all + amount <= HELD_PER_FREE * free) return true;
    return Math.floor((this.heldBy(caller) + amount) / HELD_PER_FREE) <= free;
  }

  /**
   * The caller that loses something to another one: of those that can, the one that holds most, and more than
   * the other one will. Undefined for none.
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
