/**
 * Limits synchronous work in one turn of the event loop. Work that a thread could do is done synchronously
 * where that is cheaper, but not all work of a turn, which may bring a hundred messages: nothing else runs
 * meanwhile.
 */
export class TurnBudget {
  private readonly most: number;
  private spent = 0;

  /** @param most the units of one turn, beyond which no more work begins */
  constructor(most: number) {
    this.most = most;
  }

  /** Whether the budget of this turn is exhausted. */
  get isSpent(): boolean {
    return this.spent >= this.most;
  }

  spend(units: number): void {
    if (this.spent === 0 && units > 0) {
      setImmediate(() => {
        this.spent = 0;
      });
    }
    this.spent += units;
  }
}
