/** Pauses and resumes receiving the bytes of a body. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** A body that is being read or that waits to be decoded. */
export interface BudgetedBody {
  /** Counts received bytes, and pauses the flow if the budget is exceeded. */
  add(bytes: number, flow: Flow): void;
  /** Removes the bytes of the body from the budget. */
  release(): void;
}

/**
 * Limits the bytes of undecoded responses in memory. While they exceed `maxBytes`, only the oldest body is
 * read from its connection. One body thus always makes progress.
 */
export class BodyBudget {
  private readonly maxBytes: number;
  /** The bodies, oldest first. */
  private readonly bodies = new Set<{ paused: Flow | undefined }>();
  private total = 0;
  private paused = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The number of bytes in memory. */
  get held(): number {
    return this.total;
  }

  begin(): BudgetedBody {
    const body: { paused: Flow | undefined } = { paused: undefined };
    let own = 0;
    this.bodies.add(body);
    return {
      add: (bytes, flow) => {
        if (!this.bodies.has(body)) return;
        own += bytes;
        this.total += bytes;
        if (this.total <= this.maxBytes || this.isFirst(body) || body.paused !== undefined) return;
        body.paused = flow;
        this.paused++;
        flow.pause();
      },
      release: () => {
        if (!this.bodies.delete(body)) return;
        this.total -= own;
        if (body.paused !== undefined) this.paused--;
        if (this.paused > 0) this.goOn();
      },
    };
  }

  private isFirst(body: object): boolean {
    const [first] = this.bodies;
    return first === body;
  }

  private goOn(): void {
    for (const body of this.bodies) {
      if (this.total > this.maxBytes && !this.isFirst(body)) return;
      const flow = body.paused;
      if (flow === undefined) continue;
      body.paused = undefined;
      this.paused--;
      flow.resume();
    }
  }
}
