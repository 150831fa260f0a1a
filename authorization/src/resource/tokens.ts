import { hashOf } from "connect-rest-runtime/internal";
import type { Sessions } from "../interaction.ts";
import { isRecent } from "../recent.ts";
import { GRANT_KIND, TOKEN_KIND } from "../server/grants.ts";
import { type StoredToken, storedTokenOf } from "../server/stored-token.ts";
import type { Store } from "../store/store.ts";

export interface TokensOptions {
  readonly store: Store;
  /** The resources for which tokens are valid. Each resource checks that a token is for it. */
  readonly audiences: readonly string[];
  readonly sessions: Sessions | undefined;
  readonly now: () => number;
}

/**
 * How long a token found in the store is cached as valid, in milliseconds. A revocation by another process
 * takes effect only after this time. A revocation by this process takes effect immediately.
 */
const KNOWN_MS = 2000;

/** How long an unknown token is cached as invalid, in milliseconds. */
const UNKNOWN_MS = 1000;

/** The maximum number of cached valid tokens, and of cached invalid tokens. The oldest are evicted first. */
const MAX_TOKENS = 10_000;

/** The form of tokens that this server may have issued. Other strings are not looked up. */
const TOKEN_PATTERN = /^[\w-]{43}$/;

interface Known {
  readonly token: StoredToken;
  /** The time at which the token was looked up. */
  readonly at: number;
}

/**
 * How a valid token has ended. A revoked token that has also expired is reported as revoked: a person who has
 * signed out must not continue.
 */
export type TokenEnd = "revoked" | "expired";

/** Looks up tokens, and caches the results briefly. */
export class Tokens {
  private readonly options: TokensOptions;
  private readonly known = new Map<string, Known>();
  private readonly unknown = new Map<string, number>();
  private readonly lookups = new Map<string, Promise<StoredToken | undefined>>();
  /** The number of revocations. The result of a lookup that began before a revocation is not cached. */
  private revocations = 0;

  constructor(options: TokensOptions) {
    this.options = options;
  }

  /**
   * Returns a token if it is valid: issued by this server and for this server, not expired, not revoked, with
   * a live session. Returns a promise only if the token must be looked up. The promise rejects with a
   * StoreError.
   */
  find(token: string): StoredToken | undefined | Promise<StoredToken | undefined> {
    const now = this.options.now();
    const known = this.known.get(token);
    if (known !== undefined && isRecent(known.at, now, KNOWN_MS)) {
      return known.token.expiresAt > now ? known.token : undefined;
    }
    const missedAt = this.unknown.get(token);
    if (missedAt !== undefined && isRecent(missedAt, now, UNKNOWN_MS)) return undefined;
    if (!TOKEN_PATTERN.test(token)) return undefined;
    const running = this.lookups.get(token);
    if (running !== undefined) return running;
    const lookup = this.lookUp(token).finally(() => this.lookups.delete(token));
    this.lookups.set(token, lookup);
    return lookup;
  }

  /** Evicts a token that has been revoked. */
  forget(token: string): void {
    this.revocations += 1;
    this.known.delete(token);
    this.lookups.delete(token);
  }

  /** Evicts the tokens of a grant that has been revoked. */
  forgetGrant(grantId: string): void {
    this.revocations += 1;
    this.lookups.clear();
    for (const [token, known] of this.known) if (known.token.grantId === grantId) this.known.delete(token);
  }

  /**
   * Returns the tokens that were valid and have since ended. All processes record revocations in the store;
   * if the store fails, only expiries are known. Never rejects.
   *
   * @param onError called for a failure of the store
   */
  async ended(
    tokens: readonly StoredToken[],
    onError: (error: unknown) => void,
  ): Promise<ReadonlyMap<StoredToken, TokenEnd>> {
    const { store, now } = this.options;
    const time = now();
    const [expired, good] = partition(tokens, ({ expiresAt }) => expiresAt <= time);
    const lookUp = async (kind: string, keys: readonly string[]) => {
      if (keys.length === 0) return undefined;
      return await store.existing(kind, keys).catch((error: unknown) => void onError(error));
    };
    const rows = await lookUp(
      TOKEN_KIND,
      good.map(({ key }) => key),
    );
    // an expired token has no row any more: its grant shows whether it was also revoked
    const grants = await lookUp(
      GRANT_KIND,
      expired.map(({ grantId }) => grantId).filter((id) => id !== undefined),
    );
    const isRevoked = ({ grantId }: StoredToken) => grantId !== undefined && grants?.has(grantId) === false;
    return new Map([
      ...expired.map((token) => [token, isRevoked(token) ? "revoked" : "expired"] as const),
      ...good.filter(({ key }) => rows?.has(key) === false).map((token) => [token, "revoked"] as const),
    ]);
  }

  private async lookUp(token: string): Promise<StoredToken | undefined> {
    const { store, audiences, sessions, now } = this.options;
    const before = this.revocations;
    const key = hashOf(token);
    const entry = await store.get(TOKEN_KIND, key);
    const stored = entry && storedTokenOf(key, entry);
    const isGood =
      stored !== undefined &&
      audiences.includes(stored.audience) &&
      (stored.sessionId === undefined ||
        sessions === undefined ||
        (await sessions.isAlive(stored.sessionId)));
    if (!isGood) {
      remember(this.unknown, token, now());
      return undefined;
    }
    if (this.revocations === before) remember(this.known, token, { token: stored, at: now() });
    return stored;
  }
}

function partition<T>(values: readonly T[], test: (value: T) => boolean): [T[], T[]] {
  return [values.filter(test), values.filter((value) => !test(value))];
}

function remember<T>(tokens: Map<string, T>, token: string, value: T): void {
  tokens.delete(token);
  tokens.set(token, value);
  const [oldest] = tokens.keys();
  if (tokens.size > MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
}
