import { Code, ConnectError } from "@connectrpc/connect";
import { type Clock, fraction } from "connect-rest-codec/internal";
import { retryDelayMs } from "../errors/retry-info.ts";
import { Secret } from "../text/secret.ts";
import { EndpointError } from "../token-endpoint/endpoint-error.ts";
import { requestTokens } from "../token-endpoint/token-request.ts";
import type { ClientAuthMethod, Grant, Send, Tokens } from "../token-endpoint/tokens.ts";
import type { OAuth2Grant } from "./oauth2-grant.ts";

/** A token that expires within this time is not sent, since it could expire in transit. */
const SKEW_MS = 5_000;

/**
 * How long before its expiry a token is refreshed, and the maximum of that time as a fraction of the token's
 * lifetime.
 */
const MARGIN_MS = 60_000;
const MARGIN_PART = 0.2;

/**
 * The first pause and the longest pause after a failure of the token endpoint, and after a rejection. Each
 * pause is twice the previous pause.
 */
const PAUSES = {
  failed: { firstMs: 1_000, maxMs: 60_000 },
  rejected: { firstMs: 10_000, maxMs: 300_000 },
  unreadable: { firstMs: 1_000, maxMs: 60_000 },
} as const;

/**
 * The minimum time between two refreshes that are caused by rejected tokens. Up to half of it is added at
 * random: if an upstream accepts only the newest token, processes without a common store invalidate each
 * other's tokens, and must not refresh at the same time.
 */
const REFUSAL_MS = 10_000;

/**
 * The reason why there is no token: the endpoint failed, the endpoint rejected the request, or the token
 * store failed.
 */
export interface TokenFailure {
  readonly kind: keyof typeof PAUSES;
  readonly problem: string;
  /** The time during which no further requests are sent, in milliseconds. */
  readonly delay: number;
  readonly cause: unknown;
}

/** The options of a token source. */
export interface TokenSourceOptions {
  readonly grant: OAuth2Grant;
  readonly send: Send;
  readonly clock: Clock;
  /** Creates the error for callers. */
  readonly errorOf: (failure: TokenFailure) => ConnectError;
  /**
   * Whether the client may request tokens with its own credentials if there is no refresh token. Default:
   * only if there is no store.
   */
  readonly mayAskForItself?: boolean;
}

/** The replacement of a token that the upstream rejected. */
export interface AnotherToken {
  readonly token: Secret;
  /**
   * Whether the endpoint issued the token because of the rejection. Otherwise the token may be as old as the
   * rejected token.
   */
  readonly isNew: boolean;
}

interface Failure extends Omit<TokenFailure, "delay"> {
  /** The end of the pause on the monotonic scale of the clock. */
  readonly until: number;
  readonly count: number;
}

/**
 * The access tokens of one grant. A token is fetched when it is first needed, and refreshed in the background
 * shortly before it expires; all waiting calls share one request. After a failure no request is sent for a
 * while, and calls fail with the same error.
 */
export class TokenSource {
  private readonly grant: OAuth2Grant;
  private readonly clock: Clock;
  private readonly options: TokenSourceOptions;
  private tokens: Tokens | undefined;
  /** The time at which a valid token is refreshed, in milliseconds since 1970. */
  private refreshAt = Number.POSITIVE_INFINITY;
  private refreshing: Promise<Tokens> | undefined;
  private failure: Failure | undefined;
  /** The token that the endpoint issued last. */
  private requested: Secret | undefined;
  /**
   * The time before which a rejected token does not cause another refresh, on the monotonic scale of the
   * clock.
   */
  private rejectedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: TokenSourceOptions) {
    this.grant = options.grant;
    this.clock = options.clock;
    this.options = options;
  }

  /**
   * Returns a valid token.
   *
   * @throws ConnectError from `errorOf`
   */
  async get(): Promise<Secret> {
    const { tokens } = this;
    if (tokens === undefined || !this.isGood(tokens)) return (await this.refresh()).accessToken;
    if (this.clock.now() >= this.refreshAt && !this.isPausing()) {
      // the caller still has a valid token; calls fail only if the endpoint fails until that token expires
      this.refresh().catch(() => undefined);
    }
    return tokens.accessToken;
  }

  /**
   * Returns another token in place of one that the upstream rejected, or undefined if another token was
   * requested a moment ago.
   *
   * @throws ConnectError in the same cases as `get`
   */
  async another(rejected: Secret): Promise<AnotherToken | undefined> {
    const { tokens } = this;
    if (tokens !== undefined && tokens.accessToken.reveal() !== rejected.reveal()) {
      return { token: await this.get(), isNew: false };
    }
    if (this.refreshing === undefined && this.clock.monotonic() < this.rejectedUntil) return undefined;
    const { accessToken: token } = await this.refresh(rejected);
    const isNew = token.reveal() === this.requested?.reveal();
    if (isNew) this.rejectedUntil = this.clock.monotonic() + REFUSAL_MS * (1 + fraction(this.clock) / 2);
    return { token, isNew };
  }

  /** Returns the error of a call whose token the upstream rejected while no other token is available. */
  rejectedError(): ConnectError {
    const problem = "the upstream rejects the token that it gave a moment ago";
    return this.errorOf({ kind: "failed", problem, until: this.rejectedUntil, count: 1, cause: undefined });
  }

  private isGood({ expiresAt }: Tokens): boolean {
    return expiresAt === undefined || this.clock.now() < expiresAt - SKEW_MS;
  }

  private isPausing(): boolean {
    return this.failure !== undefined && this.clock.monotonic() < this.failure.until;
  }

  private refresh(rejected?: Secret): Promise<Tokens> {
    const { failure } = this;
    if (this.refreshing === undefined && failure !== undefined && this.isPausing()) {
      return Promise.reject(this.errorOf(failure));
    }
    this.refreshing ??= this.refreshed(rejected).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private async refreshed(rejected: Secret | undefined): Promise<Tokens> {
    try {
      const tokens = await this.fetched(rejected);
      const { expiresAt } = tokens;
      this.tokens = tokens;
      this.refreshAt = expiresAt === undefined ? Number.POSITIVE_INFINITY : this.refreshOf(expiresAt);
      this.failure = undefined;
      return tokens;
    } catch (error) {
      this.failure = this.failureOf(error);
      throw this.errorOf(this.failure);
    }
  }

  /** Returns a random time before the expiry, so that the same replica does not always refresh first. */
  private refreshOf(expiresAt: number): number {
    const margin = Math.min(MARGIN_MS, (expiresAt - this.clock.now()) * MARGIN_PART);
    return expiresAt - SKEW_MS - margin * (0.5 + fraction(this.clock) / 2);
  }

  private async fetched(rejected: Secret | undefined): Promise<Tokens> {
    const { store } = this.grant;
    if (store === undefined) return await this.request(this.tokens?.refreshToken ?? this.ownRefreshToken);
    return await store.update(async (kept) => {
      const isOther = kept?.accessToken.reveal() !== rejected?.reveal();
      // another process has already stored a refreshed token
      if (kept !== undefined && isOther && this.isGood(kept)) return kept;
      const refreshToken = kept?.refreshToken ?? this.ownRefreshToken;
      if (refreshToken === undefined && this.options.mayAskForItself !== true) {
        throw new Error(`${store.name} has no refresh token`);
      }
      return await this.request(refreshToken);
    });
  }

  private get ownRefreshToken(): Secret | undefined {
    const { refreshToken } = this.grant;
    return refreshToken === undefined ? undefined : Secret.of(refreshToken);
  }

  private async request(refreshToken: Secret | undefined): Promise<Tokens> {
    const { tokenUrl, scope, parameters } = this.grant;
    const url = new URL(tokenUrl);
    const endpoint = { url, client: clientOf(this.grant), send: this.options.send };
    const grant: Grant =
      refreshToken === undefined
        ? { type: "client_credentials", parameters: { ...parameters, scope } }
        : {
            type: "refresh_token",
            parameters: { ...parameters, scope, refresh_token: refreshToken.reveal() },
          };
    const tokens = await requestTokens(endpoint, grant, this.clock.now());
    this.requested = tokens.accessToken;
    // if the server returns no new refresh token, the old refresh token remains valid (RFC 6749 section 6)
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  }

  private failureOf(error: unknown): Failure {
    const kind = kindOf(error);
    const count = this.failure?.kind === kind ? this.failure.count + 1 : 1;
    const { firstMs, maxMs } = PAUSES[kind];
    const asked = error instanceof EndpointError ? (this.requestedDelay(error) ?? 0) : 0;
    const pause = Math.min(maxMs, firstMs * 2 ** Math.min(count - 1, 20)) * (0.5 + fraction(this.clock) / 2);
    const until = this.clock.monotonic() + Math.min(Math.max(pause, asked), PAUSES.rejected.maxMs);
    return { kind, problem: textOf(error), until, count, cause: error };
  }

  private requestedDelay({ retryAfter }: EndpointError): number | undefined {
    const header = (name: string) => (name === "retry-after" ? retryAfter : undefined);
    return retryDelayMs(header, [], Code.Unavailable, this.clock.now());
  }

  private errorOf({ until, ...failure }: Failure): ConnectError {
    const delay = Math.max(1, Math.ceil(until - this.clock.monotonic()));
    return this.options.errorOf({ ...failure, delay });
  }
}

function textOf(error: unknown): string {
  if (error instanceof ConnectError) return error.rawMessage;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the kind of a failure. Errors that are not from the endpoint are from the store. */
function kindOf(error: unknown): keyof typeof PAUSES {
  if (!(error instanceof EndpointError)) return "unreadable";
  return error.isFinal ? "rejected" : "failed";
}

function clientOf({ clientId, clientSecret, clientAuthentication = "basic" }: OAuth2Grant) {
  const secret = clientSecret === undefined ? undefined : Secret.of(clientSecret);
  const method: ClientAuthMethod =
    secret === undefined
      ? "none"
      : clientAuthentication === "basic"
        ? "client_secret_basic"
        : "client_secret_post";
  return { id: Secret.of(clientId).reveal(), secret, method };
}
