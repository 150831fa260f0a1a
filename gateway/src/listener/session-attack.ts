import http2 from "node:http2";
import type { LimitName, Limits, OnLimit } from "../limits.ts";
import type { Attackers } from "./attackers.ts";
import type { Callbacks } from "./callbacks.ts";
import { HeaderBudget } from "./header-budget.ts";
import { watchOpened } from "./opened-streams.ts";
import type { ReadTurns } from "./read-turns.ts";
import { type Reset, ResetBudget } from "./resets.ts";

/** Receives reports of attacks. */
export interface AttackReports {
  readonly onLimit: OnLimit;
  /** Counts attacks over all connections of the client. */
  readonly attackers: Pick<Attackers, "hasReset" | "add">;
  readonly readTurns: ReadTurns;
}

/** Ends an HTTP/2 session whose peer attacks with resets, or with headers that HPACK expands. */
export class SessionAttack {
  private readonly session: http2.ServerHttp2Session;
  private readonly callbacks: Callbacks;
  private readonly reports: AttackReports;
  private readonly client: string;
  private readonly resets: ResetBudget;
  private readonly headers: HeaderBudget;
  private isEnding = false;

  constructor(
    session: http2.ServerHttp2Session,
    limits: Limits,
    reports: AttackReports,
    callbacks: Callbacks,
  ) {
    this.session = session;
    this.callbacks = callbacks;
    this.reports = reports;
    this.client = session.socket.remoteAddress ?? "";
    const isClientBeyond = (now: number) => reports.attackers.hasReset(this.client, now);
    this.resets = new ResetBudget(limits, performance.now(), isClientBeyond);
    this.headers = new HeaderBudget(() => session.socket.bytesRead);
    // If the peer opens twice the allowed number of streams, half of them have already been reset, which
    // exceeds the burst.
    watchOpened(session, 2 * this.resets.burst, callbacks, reports.readTurns, () => {
      if (this.isOver) return;
      this.report("resetsPerSecond");
      this.destroy();
    });
  }

  /** Whether the session no longer serves requests. */
  get isOver(): boolean {
    return this.isEnding || this.session.destroyed;
  }

  /** Counts a reset stream; returns true if the session ends because of it. */
  resetAt(now: number, reset: Reset): boolean {
    if (!this.resets.isExceeded(reset, now)) return false;
    this.end("resetsPerSecond");
    return true;
  }

  /** Counts the headers or trailers of a request; returns true if the session ends because of them. */
  hasHeaders(rawHeaders: readonly string[]): boolean {
    if (!this.headers.isExceeded(rawHeaders)) return false;
    this.end("headerBytes");
    return true;
  }

  /**
   * Destroys the session once its GOAWAY has been written. If other output is pending, immediate destruction
   * would lose the GOAWAY.
   */
  private end(limit: LimitName): void {
    this.report(limit);
    this.session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.callbacks.soon(() => this.callbacks.soon(() => this.destroy()));
  }

  private report(limit: LimitName): void {
    this.isEnding = true;
    this.reports.onLimit(limit);
    this.reports.attackers.add(this.client, performance.now());
  }

  /** Without an error, Node would send the code NO_ERROR. */
  private destroy(): void {
    const error = new Error("the session is ended for an attack");
    this.session.destroy(error, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}
