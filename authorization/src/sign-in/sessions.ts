import { randomBytes } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Credentials } from "connect-rest-runtime";
import { retryInfo } from "connect-rest-runtime/internal";
import type { AuthorizationLog, MakeError, SignInMetrics } from "../host.ts";
import type { Sessions } from "../interaction.ts";
import { isNear, isRecent } from "../recent.ts";
import type { Store } from "../store/store.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import { type Provider, ProviderError } from "./provider.ts";
import type { LoadedSession, SessionRows, UpstreamSession } from "./session-rows.ts";
import { type Consumer, credentialsOf, type UpstreamTokens } from "./tokens.ts";

/** The part of an upstream that sessions use. */
export interface SessionProvider {
  readonly provider: Provider;
  /** The consumer that signs requests with OAuth 1.0a tokens. */
  readonly consumer?: Consumer | undefined;
  /**
   * A cheap check whether a session is alive. By default, a session is known to have ended only when its
   * tokens expire or are rejected.
   */
  readonly check?: { readonly probe: Probe; readonly everyMs: number } | undefined;
}

/** The lifetimes of sessions. */
export interface SessionTimeouts {
  /** The maximum time between two calls. */
  readonly idleMs: number;
  /** In total. */
  readonly absoluteMs: number;
}

export interface SignInSessionsOptions {
  readonly providers: ReadonlyMap<string, SessionProvider>;
  readonly rows: SessionRows;
  readonly store: Pick<Store, "withLock">;
  readonly timeouts: SessionTimeouts;
  readonly log: AuthorizationLog;
  readonly metrics: Pick<SignInMetrics, "sessionRefreshed" | "sessionEnded">;
  readonly error: MakeError;
  readonly now: () => number;
}

/**
 * How long a session from the store is cached, in milliseconds. Another process may end the session during
 * this time.
 */
const CACHE_MS = 1000;

/** The maximum number of cached sessions. The oldest is evicted first. */
const CACHED = 10_000;

/** Tokens are refreshed this long before they expire, in milliseconds; at most a fifth of their lifetime. */
const REFRESH_BEFORE_MS = 60_000;
const REFRESH_BEFORE_PART = 0.2;

/**
 * The maximum time that a call waits for a refresh by another process, in milliseconds. It is longer than an
 * exchange may take.
 */
const WAIT_MS = 60_000;

/** The pause before the next refresh after a failure of the upstream, in milliseconds. */
const PAUSE_MS = 5000;

/** The fraction of the idle timeout after which the use of a session is recorded again. */
const TOUCH_PART = 0.05;

/** The sessions of people with the gateway, and at the upstreams. */
export class SignInSessions implements Sessions {
  private readonly options: SignInSessionsOptions;
  private readonly cache = new Map<
    string,
    { readonly at: number; readonly session: Promise<LoadedSession | undefined> }
  >();
  /** The running operations for which several callers may wait, by name. */
  private readonly running = new Map<string, Promise<unknown>>();
  /** The times at which refreshes have failed. */
  private readonly pauses = new Map<string, number>();

  constructor(options: SignInSessionsOptions) {
    this.options = options;
  }

  /**
   * Starts a session for a person who has signed in at these upstreams. Resolves to the ID of the session.
   */
  async start(subject: string, tokens: ReadonlyMap<string, UpstreamTokens>): Promise<string> {
    const id = randomBytes(24).toString("base64url");
    const now = this.options.now();
    const row = {
      subject,
      createdAt: now,
      usedAt: now,
      expiresAt: now + this.options.timeouts.absoluteMs,
      providers: [...tokens.keys()],
    };
    const upstreams = [...tokens].map(([provider, each]) => [provider, this.upstreamOf(each, 1)] as const);
    await this.options.rows.create(id, row, new Map(upstreams));
    return id;
  }

  /**
   * Reports whether a session is alive. A session is alive within its timeouts, until all of its upstream
   * sessions have ended.
   */
  async isAlive(id: string): Promise<boolean> {
    const session = await this.load(id);
    if (session === undefined) return false;
    const { idleMs } = this.options.timeouts;
    const idle = this.options.now() - session.row.usedAt;
    if (idle >= idleMs) {
      await this.end(id);
      return false;
    }
    if (Math.abs(idle) >= idleMs * TOUCH_PART) await this.touch(id);
    const providers = [...session.upstreams.keys()];
    const standing = await Promise.all(providers.map((provider) => this.isStanding(session, provider)));
    return standing.includes(true);
  }

  async end(id: string): Promise<void> {
    const session = await this.options.rows.load(id);
    const isFirst = await this.options.rows.remove(id);
    this.cache.delete(id);
    if (!isFirst) return;
    await Promise.all(
      [...(session?.upstreams ?? [])].map(([provider, each]) => this.revoke(provider, each.tokens)),
    );
  }

  /** Revokes tokens that no session uses. Never rejects. */
  async revoke(provider: string, tokens: UpstreamTokens): Promise<void> {
    try {
      await this.options.providers.get(provider)?.provider.revoke(tokens);
    } catch (cause) {
      this.options.log.warn({ provider, cause: String(cause) }, "tokens not revoked");
    }
  }

  /**
   * Returns the credentials of a session at an upstream, refreshed if they are due.
   *
   * @throws ConnectError UNAUTHENTICATED, reason SESSION_ENDED; UNAVAILABLE, reason SESSION_UNAVAILABLE
   */
  async credentials(id: string, provider: string): Promise<Credentials> {
    const upstream = await this.current(id, provider);
    if (upstream === undefined) throw this.ended(provider);
    return this.credentialsOf(id, provider, upstream);
  }

  /**
   * Returns the session at an upstream, with tokens that are not due for a refresh; undefined if the session
   * has ended.
   */
  private async current(id: string, provider: string): Promise<UpstreamSession | undefined> {
    const upstream = (await this.load(id))?.upstreams.get(provider);
    const now = this.options.now();
    if (upstream?.dueAt === undefined || now < upstream.dueAt) return upstream;
    if (!canRefresh(upstream.tokens)) {
      if (!isExpired(upstream.tokens, now)) return upstream;
      await this.endAt(id, provider, "expired");
      return undefined;
    }
    try {
      return await this.refreshed(id, provider, upstream.generation);
    } catch (error) {
      if (!isExpired(upstream.tokens, this.options.now())) return upstream;
      throw this.unavailable(provider, error);
    }
  }

  private credentialsOf(id: string, provider: string, { tokens, generation }: UpstreamSession): Credentials {
    const rejected = () => this.credentialsAfter(id, provider, generation);
    return { ...credentialsOf(tokens, this.options.providers.get(provider)?.consumer), rejected };
  }

  /**
   * Returns credentials that replace rejected ones. If the tokens have been refreshed since, their rejection
   * says nothing about the session: a session ends only when the upstream rejects the refresh or the
   * refreshed tokens.
   *
   * @returns undefined if there are no other credentials, and the session is alive
   * @throws ConnectError UNAUTHENTICATED, reason SESSION_ENDED; UNAVAILABLE, reason SESSION_UNAVAILABLE
   */
  private async credentialsAfter(
    id: string,
    provider: string,
    generation: number,
  ): Promise<Credentials | undefined> {
    let next: UpstreamSession | undefined;
    try {
      next = (await this.reload(id))?.upstreams.get(provider);
      if (next !== undefined && next.generation <= generation) {
        if (!canRefresh(next.tokens)) return await this.judged(id, provider, next);
        next = await this.refreshed(id, provider, generation);
      }
    } catch (cause) {
      if (cause instanceof ConnectError) throw cause;
      throw this.unavailable(provider, cause);
    }
    if (next === undefined) throw this.ended(provider);
    const { consumer } = this.options.providers.get(provider) ?? {};
    const rejected = () => this.rejectedAgain(id, provider, next.generation);
    return { ...credentialsOf(next.tokens, consumer), rejected };
  }

  /**
   * Ends the session, unless another process has refreshed its tokens in the meantime. In that case the call
   * may be retried.
   */
  private async rejectedAgain(id: string, provider: string, generation: number): Promise<never> {
    const upstream = await this.reload(id).then(
      (session) => session?.upstreams.get(provider),
      (cause: unknown) => {
        throw this.unavailable(provider, cause);
      },
    );
    if (upstream !== undefined && upstream.generation > generation) {
      throw this.unavailable(provider, new Error("its tokens are rejected while others refresh them"));
    }
    await this.endAt(id, provider, "rejected twice");
    throw this.ended(provider);
  }

  /**
   * Handles the rejection of tokens that cannot be refreshed. Ends their session if the upstream also rejects
   * the cheap check.
   */
  private async judged(id: string, provider: string, { tokens }: UpstreamSession): Promise<undefined> {
    const { check, consumer } = this.options.providers.get(provider) ?? {};
    if (check === undefined) return undefined;
    const result = await this.once(`judge ${id} ${provider}`, () =>
      check.probe(credentialsOf(tokens, consumer)),
    );
    if (result.kind !== "rejected") return undefined;
    await this.endAt(id, provider, "rejected");
    throw this.ended(provider);
  }

  /**
   * Refreshes the tokens of a generation. All calls in all replicas wait for the same refresh.
   *
   * @returns undefined if the session has ended
   * @throws ProviderError or StoreError if the outcome is unknown
   */
  private refreshed(id: string, provider: string, generation: number): Promise<UpstreamSession | undefined> {
    const name = `refresh ${id} ${provider}`;
    return this.once(name, async () => {
      const pause = this.pauses.get(name);
      if (pause !== undefined && isRecent(pause, this.options.now(), PAUSE_MS)) {
        throw new ProviderError("unavailable", "the refresh failed a moment ago");
      }
      this.pauses.delete(name);
      return await this.options.store.withLock(name, WAIT_MS, () => this.refresh(id, provider, generation));
    });
  }

  private async refresh(
    id: string,
    provider: string,
    generation: number,
  ): Promise<UpstreamSession | undefined> {
    const session = await this.reload(id);
    const upstream = session?.upstreams.get(provider);
    if (session === undefined || upstream === undefined) return undefined;
    if (upstream.generation > generation) return upstream;
    try {
      const tokens = await this.options.providers.get(provider)?.provider.refresh(upstream.tokens);
      if (tokens === undefined) throw new ProviderError("rejected", "the tokens cannot be refreshed");
      this.options.metrics.sessionRefreshed(provider, "ok");
      const next = this.upstreamOf(tokens, generation + 1);
      const isStored = await this.options.rows.replace(session, provider, next);
      this.cache.delete(id);
      if (isStored) return next;
      // the session has ended in the meantime
      await this.revoke(provider, tokens);
      return (await this.reload(id))?.upstreams.get(provider);
    } catch (error) {
      return await this.notRefreshed(id, provider, error);
    }
  }

  private async notRefreshed(id: string, provider: string, error: unknown): Promise<undefined> {
    // the store may also fail once the tokens have been received
    const outcome = error instanceof ProviderError ? error.failure : undefined;
    if (outcome !== undefined) this.options.metrics.sessionRefreshed(provider, outcome);
    if (error instanceof ProviderError && (error.failure === "rejected" || error.failure === "denied")) {
      await this.endAt(id, provider, error.message);
      return;
    }
    if (this.pauses.size >= CACHED) this.pauses.clear();
    this.pauses.set(`refresh ${id} ${provider}`, this.options.now());
    this.options.log.warn({ provider, cause: String(error) }, "tokens not refreshed");
    throw error;
  }

  /** Reports whether an upstream session is alive, based on the stored data and, at intervals, on a check. */
  private async isStanding({ id, upstreams }: LoadedSession, provider: string): Promise<boolean> {
    const upstream = upstreams.get(provider);
    if (upstream === undefined) return false;
    const now = this.options.now();
    if (isExpired(upstream.tokens, now) && !canRefresh(upstream.tokens)) {
      await this.endAt(id, provider, "expired");
      return false;
    }
    const { check } = this.options.providers.get(provider) ?? {};
    if (check === undefined || isNear(upstream.checkedAt, now, check.everyMs)) return true;
    return await this.once(`check ${id} ${provider}`, () => this.checked(id, provider, check));
  }

  private async checked(
    id: string,
    provider: string,
    { probe, everyMs }: { readonly probe: Probe; readonly everyMs: number },
  ): Promise<boolean> {
    if (await this.options.rows.claimCheck(id, provider, everyMs, this.options.now())) {
      this.cache.delete(id);
      const result = await this.probed(id, provider, probe);
      if (result.kind === "rejected") await this.endAt(id, provider, "rejected");
      // an unavailable upstream says nothing about the session
      if (result.kind === "unavailable") {
        this.options.log.warn({ provider, cause: result.text }, "session not checked");
      }
    }
    return (await this.load(id))?.upstreams.has(provider) ?? false;
  }

  private async probed(id: string, provider: string, probe: Probe): Promise<ProbeResult> {
    try {
      const upstream = await this.current(id, provider);
      if (upstream === undefined) return { kind: "rejected" };
      const { consumer } = this.options.providers.get(provider) ?? {};
      const rejected = () => this.credentialsAfter(id, provider, upstream.generation);
      const mayRefresh = canRefresh(upstream.tokens);
      return await probe({ ...credentialsOf(upstream.tokens, consumer), ...(mayRefresh && { rejected }) });
    } catch (error) {
      const isEnded = error instanceof ConnectError && error.code === Code.Unauthenticated;
      return isEnded ? { kind: "rejected" } : { kind: "unavailable", text: String(error) };
    }
  }

  /**
   * Ends the session at one upstream. If this was the last upstream session, also ends the person's session.
   */
  private async endAt(id: string, provider: string, why: string): Promise<void> {
    if (!(await this.options.rows.removeUpstream(id, provider))) return;
    this.options.log.info({ provider, why }, "session ended by the third party");
    this.options.metrics.sessionEnded(provider);
    const session = await this.reload(id);
    if (session?.upstreams.size === 0) await this.end(id);
  }

  private upstreamOf(tokens: UpstreamTokens, generation: number): UpstreamSession {
    const now = this.options.now();
    return { tokens, generation, checkedAt: now, dueAt: dueAtOf(tokens, now) };
  }

  private async touch(id: string): Promise<void> {
    this.cache.delete(id);
    await this.options.rows.touch(id, this.options.now());
  }

  /** Returns the error for a person whose session at an upstream has ended. */
  private ended(provider: string): ConnectError {
    const text = `the session at ${provider} has ended; sign in again`;
    return this.options.error("SESSION_ENDED", text, Code.Unauthenticated);
  }

  private unavailable(provider: string, cause: unknown): ConnectError {
    const text = `the session at ${provider} could not be refreshed, because ${provider} did not respond as it should; try again later`;
    const error = this.options.error("SESSION_UNAVAILABLE", text, Code.Unavailable, cause);
    error.details.push(retryInfo(PAUSE_MS));
    return error;
  }

  private load(id: string): Promise<LoadedSession | undefined> {
    const cached = this.cache.get(id);
    if (cached !== undefined && isRecent(cached.at, this.options.now(), CACHE_MS)) return cached.session;
    return this.reload(id);
  }

  private reload(id: string): Promise<LoadedSession | undefined> {
    const session = this.options.rows.load(id);
    this.cache.delete(id);
    this.cache.set(id, { at: this.options.now(), session });
    const [oldest] = this.cache.keys();
    if (this.cache.size > CACHED && oldest !== undefined) this.cache.delete(oldest);
    session.catch(() => this.cache.delete(id));
    return session;
  }

  private once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const running = this.running.get(name);
    if (running !== undefined) return running as Promise<T>;
    const started = work().finally(() => this.running.delete(name));
    this.running.set(name, started);
    return started;
  }
}

function canRefresh(tokens: UpstreamTokens): boolean {
  return tokens.kind === "oauth2" && tokens.refreshToken !== undefined;
}

function isExpired(tokens: UpstreamTokens, now: number): boolean {
  return tokens.kind === "oauth2" && tokens.expiresAt !== undefined && tokens.expiresAt <= now;
}

function dueAtOf(tokens: UpstreamTokens, now: number): number | undefined {
  if (tokens.kind !== "oauth2" || tokens.expiresAt === undefined) return undefined;
  const before = Math.min(REFRESH_BEFORE_MS, (tokens.expiresAt - now) * REFRESH_BEFORE_PART);
  return tokens.expiresAt - before;
}
