/** What can stop the bytes of a body for a while. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** A body that is being read, or waits to be decoded. */
export interface BudgetedBody {
  /** Counts bytes that came; stops the flow where no more may come for now. */
  add(bytes: number, flow: Flow): void;
  /** It is no longer held. */
  release(): void;
}

/**
 * The bytes of responses that are in memory before they are decoded. Beyond `maxBytes` they are no longer
 * read from their connections, but for the one that began first, so that there is always one that goes on.
 */
export class BodyBudget {
  private readonly maxBytes: number;
  /** In the order in which they began. */
  private readonly bodies = new Set<{ paused: Flow | undefined }>();
  private total = 0;
  private paused = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Bytes that are held now. */
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
