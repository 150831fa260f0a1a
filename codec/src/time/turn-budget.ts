/**
 * How much is done at once in one turn of the event loop. Work that a thread could do as well is done at once
 * where that is cheaper; but not all of what a turn brings, be it a hundred messages,
 * for nothing else has its turn meanwhile.
 */
export class TurnBudget {
  private readonly most: number;
  private spent = 0;

  /** @param most units of one turn, above which no more is begun */
  constructor(most: number) {
    this.most = most;
  }

  /** Whether this turn has none left. */
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
