import { z } from "zod";
import type { AuthorizationLog } from "../host.ts";
import { isNear } from "../recent.ts";
import { type KeyRing, type SealedPlace, UnsealFailed } from "../store/sealed.ts";
import type { Entry, Store } from "../store/store.ts";
import { readTokens, type UpstreamTokens, writeTokens } from "./tokens.ts";

/** A person's session with the gateway, to which the gateway's tokens are bound. */
export interface SessionRow {
  /** The person's name in the gateway's tokens. */
  readonly subject: string;
  readonly createdAt: number;
  /** The time of the last use, accurate to a twentieth of the idle timeout. */
  readonly usedAt: number;
  readonly expiresAt: number;
  /** The upstreams at which the person has signed in. */
  readonly providers: readonly string[];
}

/** The part of a session that concerns one upstream. */
export interface UpstreamSession {
  readonly tokens: UpstreamTokens;
  /** The generation of the tokens: 1, plus the number of refreshes. */
  readonly generation: number;
  /** The time of the next refresh. Undefined if no expiry is known. */
  readonly dueAt?: number | undefined;
  /** The time at which the upstream last confirmed the session, or was last asked to confirm it. */
  readonly checkedAt: number;
}

/** A session, with the upstream sessions that can be decrypted. */
export interface LoadedSession {
  readonly id: string;
  readonly row: SessionRow;
  readonly upstreams: ReadonlyMap<string, UpstreamSession>;
}

const SESSION_KIND = "session";
const UPSTREAM_KIND = "upstream-session";

const sessionSchema = z.object({
  subject: z.string(),
  createdAt: z.number(),
  usedAt: z.number(),
  expiresAt: z.number(),
  providers: z.array(z.string()),
});

const upstreamSchema = z.object({
  generation: z.number(),
  dueAt: z.number().optional(),
  checkedAt: z.number(),
  tokens: z.string(),
});

/** Stores sessions. Upstream tokens are sealed for their row and their person. */
export class SessionRows {
  private readonly store: Store;
  private readonly ring: KeyRing;
  private readonly log: AuthorizationLog;

  constructor(store: Store, ring: KeyRing, log: AuthorizationLog) {
    this.store = store;
    this.ring = ring;
    this.log = log;
  }

  /** Adds a session. */
  async create(id: string, row: SessionRow, upstreams: ReadonlyMap<string, UpstreamSession>): Promise<void> {
    const changes = [...upstreams].map(([provider, upstream]) => ({
      kind: UPSTREAM_KIND,
      key: keyOf(id, provider),
      entry: this.upstreamEntry(id, row, provider, upstream),
    }));
    const session = { kind: SESSION_KIND, key: id, entry: entryOf(id, row, JSON.stringify(row)) };
    await this.store.commit([...changes, session]);
  }

  /** Reads a session with all of its parts. Returns undefined if the session has ended. */
  async load(id: string): Promise<LoadedSession | undefined> {
    const entry = await this.store.get(SESSION_KIND, id);
    if (entry === undefined) return undefined;
    const row = sessionSchema.parse(JSON.parse(entry.value));
    const upstreams = new Map<string, UpstreamSession>();
    for (const provider of row.providers) {
      const upstream = await this.loadUpstream(id, row, provider);
      if (upstream !== undefined) upstreams.set(provider, upstream);
    }
    return { id, row, upstreams };
  }

  /** Records the use of a session. */
  async touch(id: string, now: number): Promise<void> {
    await this.store.update(SESSION_KIND, id, (entry) => {
      if (entry === undefined) return undefined;
      const row = { ...sessionSchema.parse(JSON.parse(entry.value)), usedAt: now };
      return entryOf(id, row, JSON.stringify(row));
    });
  }

  /**
   * Replaces the tokens of a generation, unless they have already been replaced. Resolves to whether the new
   * tokens are now the stored ones.
   */
  async replace(session: LoadedSession, provider: string, next: UpstreamSession): Promise<boolean> {
    const { id, row } = session;
    const entry = this.upstreamEntry(id, row, provider, next);
    const stored = await this.store.update(UPSTREAM_KIND, keyOf(id, provider), (before) => {
      return before !== undefined && generationOf(before) === next.generation - 1 ? entry : before;
    });
    return stored?.value === entry.value;
  }

  /**
   * Records that the upstream is now being asked. If several replicas try this concurrently, only one of them
   * gets `true`.
   */
  async claimCheck(id: string, provider: string, everyMs: number, now: number): Promise<boolean> {
    let claimed = false;
    await this.store.update(UPSTREAM_KIND, keyOf(id, provider), (before) => {
      const row = before && upstreamSchema.parse(JSON.parse(before.value));
      claimed = row !== undefined && !isNear(row.checkedAt, now, everyMs);
      return claimed && before ? { ...before, value: JSON.stringify({ ...row, checkedAt: now }) } : before;
    });
    return claimed;
  }

  /** Removes the tokens of one upstream. */
  removeUpstream(id: string, provider: string): Promise<boolean> {
    return this.store.delete(UPSTREAM_KIND, keyOf(id, provider));
  }

  /**
   * Removes a session, with everything that is bound to it. If several callers remove it concurrently, only
   * one of them gets `true`.
   */
  async remove(id: string): Promise<boolean> {
    const row = await this.store.take(SESSION_KIND, id);
    await this.store.deleteBy({ session: id });
    return row !== undefined;
  }

  private async loadUpstream(
    id: string,
    row: SessionRow,
    provider: string,
  ): Promise<UpstreamSession | undefined> {
    const entry = await this.store.get(UPSTREAM_KIND, keyOf(id, provider));
    if (entry === undefined) return undefined;
    const { tokens: sealed, ...rest } = upstreamSchema.parse(JSON.parse(entry.value));
    try {
      const upstream = { ...rest, tokens: readTokens(this.ring.open(sealed, placeOf(id, row, provider))) };
      if (this.ring.isStale(sealed)) await this.reseal(id, row, provider, entry, upstream);
      return upstream;
    } catch (error) {
      if (!(error instanceof UnsealFailed)) throw error;
      // the row is kept, because it will be readable again if its key returns
      this.log.error({ provider, cause: error.message }, "session not readable");
      return undefined;
    }
  }

  /** Seals tokens with the current key, unless another process has changed the tokens. */
  private async reseal(
    id: string,
    row: SessionRow,
    provider: string,
    entry: Entry,
    upstream: UpstreamSession,
  ): Promise<void> {
    const next = this.upstreamEntry(id, row, provider, upstream);
    await this.store.update(UPSTREAM_KIND, keyOf(id, provider), (before) => {
      return before?.value === entry.value ? next : before;
    });
  }

  private upstreamEntry(
    id: string,
    row: SessionRow,
    provider: string,
    { tokens, ...rest }: UpstreamSession,
  ): Entry {
    const sealed = this.ring.seal(writeTokens(tokens), placeOf(id, row, provider));
    return entryOf(id, row, JSON.stringify({ ...rest, tokens: sealed }));
  }
}

function entryOf(session: string, { expiresAt }: SessionRow, value: string): Entry {
  return { value, expiresAt, session };
}

function keyOf(id: string, provider: string): string {
  return `${id}/${provider}`;
}

function placeOf(id: string, { subject }: SessionRow, provider: string): SealedPlace {
  return { kind: UPSTREAM_KIND, key: keyOf(id, provider), subject };
}

function generationOf({ value }: Entry): number {
  return upstreamSchema.parse(JSON.parse(value)).generation;
}
