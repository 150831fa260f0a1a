import { ConnectError } from "@connectrpc/connect";
import { systemClock } from "connect-rest-codec/internal";
import { type TokenFailure, TokenSource } from "../credentials/token-source.ts";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { Secret } from "../text/secret.ts";
import { EndpointError } from "../token-endpoint/endpoint-error.ts";
import { revokeToken } from "../token-endpoint/token-request.ts";
import type { TokenClient, Tokens } from "../token-endpoint/tokens.ts";
import { parseServer } from "./address.ts";
import { atEndpoint } from "./endpoint-failure.ts";
import { fetchSend } from "./http.ts";
import type { OAuthHttp } from "./options.ts";
import { type TokenEntry, type TokenFile, tokenStore } from "./token-file.ts";

/** A source of access tokens. */
export interface AccessTokens {
  /**
   * The scheme, host and port of the server for which the tokens were issued. The tokens are sent to no other
   * server.
   */
  readonly origin: string;
  /** Returns a valid token. @throws ConnectError */
  get(): Promise<Secret>;
  /**
   * Returns a replacement for a token that the server rejected, or undefined if there is none.
   *
   * @throws ConnectError
   */
  another(rejected: Secret): Promise<Secret | undefined>;
}

/** The state of a sign-in, without secrets. */
export interface SessionStatus {
  readonly server: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly grant: "authorization_code" | "client_credentials";
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  /**
   * The expiry of the access token, in milliseconds since 1970. Undefined if the server does not state the
   * expiry.
   */
  readonly expiresAt: number | undefined;
  /** Whether the token can be refreshed without the user. */
  readonly isRefreshable: boolean;
}

/** The details of a sign-in, as stored in the file. */
export interface SessionDetails {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientMethod: TokenClient["method"];
  readonly grant: SessionStatus["grant"];
  /** The requested scope, if the program signed in without a user. */
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
}

/** Returns the name of a server's entry, which is its address without the path. */
export function entryName(address: string): string {
  return parseServer(address).origin;
}

/**
 * The tokens of a signed-in user. They are read from a file, and refreshed once for all callers and processes
 * that share the file.
 */
export class Session implements AccessTokens {
  readonly origin: string;
  private readonly file: TokenFile;
  private readonly http: OAuthHttp;
  private source: Promise<TokenSource> | undefined;

  /** @throws ConnectError reason OAUTH_ADDRESS_REFUSED */
  constructor(address: string, file: TokenFile, http: OAuthHttp = {}) {
    this.origin = entryName(address);
    this.file = file;
    this.http = http;
  }

  /**
   * @throws ConnectError reason OAUTH_SIGN_IN_NEEDED if the user has to sign in, OAUTH_TOKEN_FAILED if the
   *   server issues no token now, TOKEN_FILE_REFUSED or TOKEN_FILE_LOCKED
   */
  async get(): Promise<Secret> {
    return await (await this.tokens()).get();
  }

  async another(rejected: Secret): Promise<Secret | undefined> {
    return (await (await this.tokens()).another(rejected))?.token;
  }

  /** Returns the state of the sign-in, or undefined if there is none. */
  async status(): Promise<SessionStatus | undefined> {
    const entry = await this.file.entry(this.origin);
    return entry && statusOf(this.origin, entry);
  }

  /**
   * Signs out: revokes the tokens (RFC 7009) and removes them, even if revocation fails.
   *
   * @returns whether there was a sign-in
   * @throws ConnectError reason OAUTH_REVOCATION_FAILED
   */
  async end(): Promise<boolean> {
    const found: TokenEntry[] = [];
    await this.file.update(this.origin, (entry) => {
      if (entry !== undefined) found.push(entry);
      return undefined;
    });
    this.source = undefined;
    const [entry] = found;
    if (entry?.tokens !== undefined) await this.revoke(detailsOf(entry), entry.tokens);
    return entry !== undefined;
  }

  private async revoke(details: SessionDetails, { accessToken, refreshToken }: Tokens): Promise<void> {
    const { revocationEndpoint } = details;
    if (revocationEndpoint === undefined) {
      const problem = "the server has no revocation endpoint";
      throw restError("OAUTH_REVOCATION_FAILED", { server: this.origin, problem });
    }
    const url = new URL(revocationEndpoint);
    const endpoint = { client: clientOf(details), send: fetchSend(this.http) };
    await atEndpoint(this.origin, "OAUTH_REVOCATION_FAILED", async () => {
      // revokes both tokens: some servers do not revoke access tokens with their refresh token, and one
      // request may succeed if the other fails
      const results = await Promise.allSettled([
        refreshToken && revokeToken(url, endpoint, refreshToken, "refresh_token"),
        revokeToken(url, endpoint, accessToken, "access_token"),
      ]);
      for (const result of results) if (result.status === "rejected") throw result.reason;
    });
  }

  private tokens(): Promise<TokenSource> {
    this.source ??= this.open().catch((error: unknown) => {
      // the next call reads the file again, since the user may have signed in by then
      this.source = undefined;
      throw error;
    });
    return this.source;
  }

  private async open(): Promise<TokenSource> {
    const entry = await this.file.entry(this.origin);
    if (entry?.tokens === undefined) throw this.signInNeeded("nobody has signed in on this machine");
    const details = detailsOf(entry);
    const client = clientOf(details);
    return new TokenSource({
      grant: {
        tokenUrl: details.tokenEndpoint,
        clientId: client.id,
        clientSecret: client.secret,
        clientAuthentication: client.method === "client_secret_post" ? "body" : "basic",
        scope: details.scope,
        parameters: details.resource === undefined ? {} : { resource: details.resource },
        store: tokenStore(this.file, this.origin, { mustExist: true }),
      },
      send: fetchSend(this.http),
      clock: this.http.clock ?? systemClock,
      errorOf: (failure) => this.errorOf(failure),
      mayAskForItself: details.grant === "client_credentials",
    });
  }

  private errorOf({ kind, problem, delay, cause }: TokenFailure): ConnectError {
    if (kind === "unreadable") {
      return cause instanceof ConnectError
        ? cause
        : this.signInNeeded("the access token has expired, and there is no other");
    }
    // a new sign-in has another client or another refresh token
    if (kind === "rejected") this.source = undefined;
    if (kind === "rejected") return this.signInNeeded(problem, cause);
    return restError("OAUTH_TOKEN_FAILED", { server: this.origin, problem }, { details: [retryInfo(delay)] });
  }

  private signInNeeded(problem: string, cause?: unknown): ConnectError {
    const code = cause instanceof EndpointError ? cause.code : undefined;
    const metadata = code === undefined ? {} : { error: code };
    return restError("OAUTH_SIGN_IN_NEEDED", { server: this.origin, problem }, { metadata });
  }
}

/** Returns the states of all sign-ins in a file. */
export async function allStatuses(file: TokenFile): Promise<SessionStatus[]> {
  return [...(await file.entries())].flatMap(([name, entry]) => {
    return "issuer" in entry.details ? [statusOf(name, entry)] : [];
  });
}

function statusOf(server: string, entry: TokenEntry): SessionStatus {
  const { issuer, clientId, grant, resource, scope } = detailsOf(entry);
  const { tokens } = entry;
  return {
    server,
    issuer,
    clientId,
    grant,
    scope: tokens?.scope ?? scope,
    resource,
    expiresAt: tokens?.expiresAt,
    isRefreshable: grant === "client_credentials" || tokens?.refreshToken !== undefined,
  };
}

/** Returns the details of a sign-in from its entry in a file. */
function detailsOf({ details }: TokenEntry): SessionDetails {
  const { issuer = "", tokenEndpoint = "", revocationEndpoint, clientId = "", clientSecret } = details;
  const { scope, resource, clientMethod, grant } = details;
  return {
    issuer,
    tokenEndpoint,
    revocationEndpoint,
    clientId,
    clientSecret,
    clientMethod:
      clientMethod === "client_secret_basic" || clientMethod === "client_secret_post" ? clientMethod : "none",
    grant: grant === "client_credentials" ? grant : "authorization_code",
    scope,
    resource,
  };
}

function clientOf({ clientId, clientSecret, clientMethod }: SessionDetails): TokenClient {
  const secret = clientSecret === undefined ? undefined : new Secret(clientSecret);
  return { id: clientId, secret, method: clientMethod };
}
