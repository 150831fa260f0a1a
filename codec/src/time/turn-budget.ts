/**
 * Limits synchronous work in one turn of the event loop. Some work that a worker thread could do is cheaper
 * when done synchronously. But a turn may bring a hundred messages, and nothing else runs while they are
 * processed.
 */
export class TurnBudget {
  private readonly most: number;
  private spent = 0;

  /** @param most the number of units of work per turn after which no more work begins */
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
