import { arrive, leave, refresh, revoke, SignInError, type Tokens } from "./oauth.ts";

/** The time before the end of an access token at which the page refreshes it, in milliseconds. */
const EARLY_MS = 30_000;

/**
 * The session of the person who has signed in. Tokens exist only in the memory of the page, so that a person
 * who reloads the page has to sign in again. Without authorization, there are no tokens.
 */
class Session {
  private tokens: Tokens | undefined;
  private refreshing: Promise<void> | undefined;
  /** Called when the tokens are no longer accepted. */
  onEnd: () => void = () => undefined;
  /** Returns the fragment of the address to which a person returns after signing in. */
  place: () => string = () => location.hash;

  get isSignedIn(): boolean {
    return this.tokens !== undefined;
  }

  /** The scopes of the token; undefined if they are unknown. */
  get scopes(): readonly string[] | undefined {
    return this.tokens?.scopes;
  }

  /** Redeems the code with which the browser has returned from a sign-in. */
  async arrive(): Promise<void> {
    this.tokens = (await arrive()) ?? this.tokens;
  }

  /** Leaves the page to sign in, with the scopes of the token and further ones. Default: all usual scopes. */
  async signIn(further?: readonly string[]): Promise<void> {
    const scopes = further && [...new Set([...(this.scopes ?? []), ...further])];
    await leave(scopes, this.place());
  }

  /** Uses a token that the person got elsewhere. */
  use(accessToken: string): void {
    this.tokens = { accessToken, refreshToken: undefined, expiresAt: Infinity, scopes: undefined };
  }

  /** Revokes the tokens, and reloads the page, which forgets everything. */
  async signOut(): Promise<void> {
    const { accessToken, refreshToken } = this.tokens ?? {};
    const token = refreshToken ?? accessToken;
    if (token !== undefined) await revoke(token);
    location.replace("/");
  }

  /** Forgets a token that the gateway does not accept. */
  forget(): void {
    this.tokens = undefined;
  }

  /** Sends a request to the gateway with the access token, unless the request has its own. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.tokens === undefined || headers.has("authorization")) return fetch(path, init);
    if (this.tokens.expiresAt - performance.now() < EARLY_MS) await this.refresh(this.tokens);
    const used = this.tokens;
    const response = await this.send(path, init, headers);
    if (!needsToken(response.headers.get("www-authenticate"))) return response;
    await this.refresh(used);
    return this.tokens === used || this.tokens === undefined ? response : this.send(path, init, headers);
  }

  private send(path: string, init: RequestInit, headers: Headers): Promise<Response> {
    if (this.tokens !== undefined) headers.set("authorization", `Bearer ${this.tokens.accessToken}`);
    return fetch(path, { ...init, headers });
  }

  /** Refreshes the tokens once for all requests that used them. */
  private async refresh(used: Tokens): Promise<void> {
    if (this.tokens !== used) return;
    this.refreshing ??= this.renew(used).finally(() => {
      this.refreshing = undefined;
    });
    await this.refreshing;
  }

  private async renew({ refreshToken, scopes }: Tokens): Promise<void> {
    if (refreshToken === undefined) return;
    try {
      const next = await refresh(refreshToken);
      this.tokens = {
        ...next,
        refreshToken: next.refreshToken ?? refreshToken,
        scopes: next.scopes ?? scopes,
      };
    } catch (error) {
      // after other errors, e.g. of the network, the next request tries again
      if (!(error instanceof SignInError)) return;
      this.forget();
      this.onEnd();
    }
  }
}

export const session = new Session();

/** Returns whether a challenge (RFC 6750 section 3) says that the token is no longer valid. */
export function needsToken(challenge: string | null | undefined): boolean {
  return /error="invalid_token"/.test(challenge ?? "");
}

/** Returns the scopes that a token lacks, according to a challenge (RFC 6750 section 3). */
export function missingScopes(challenge: string | undefined): readonly string[] {
  if (challenge === undefined || !/error="insufficient_scope"/.test(challenge)) return [];
  return /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(" ") ?? [];
}
