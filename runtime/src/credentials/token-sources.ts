import { createHmac } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { Secret } from "../text/secret.ts";
import type { Send } from "../token-endpoint/tokens.ts";
import type { OAuth2Grant } from "./oauth2-grant.ts";
import { type TokenFailure, TokenSource } from "./token-source.ts";

/**
 * The maximum number of grants whose tokens are cached. A configured upstream has one grant, but a
 * credentials function may return several.
 */
const MAX_SOURCES = 256;

/** Returns the tokens of a grant, and a string that identifies the grant without revealing a secret. */
export type TokenSources = (grant: OAuth2Grant) => {
  readonly source: TokenSource;
  readonly identity: string;
};

/**
 * Caches the tokens of grants by the content of the grant. An equal grant thus gets the same tokens even
 * after the configuration was reloaded.
 */
export function tokenSources(upstream: string, send: Send, clock: Clock): TokenSources {
  const key = clock.randomHex(32);
  const sources = new Map<string, TokenSource>();
  return (grant) => {
    const identity = createHmac("sha256", key).update(textOf(grant)).digest("base64");
    const errorOf = (failure: TokenFailure) => upstreamTokenError(upstream, grant.tokenUrl, failure);
    const source = sources.get(identity) ?? new TokenSource({ grant, send, clock, errorOf });
    // moves the most recently used source to the end of the map
    sources.delete(identity);
    sources.set(identity, source);
    const [oldest] = sources.keys();
    if (sources.size > MAX_SOURCES && oldest !== undefined) sources.delete(oldest);
    return { source, identity };
  };
}

/**
 * Returns the error of a call for which no token is available: reason UPSTREAM_TOKEN_REFUSED,
 * UPSTREAM_TOKEN_FAILED or UPSTREAM_TOKENS_UNREADABLE.
 */
export function upstreamTokenError(
  upstream: string,
  tokenUrl: string,
  { kind, problem, delay, cause }: TokenFailure,
): ConnectError {
  if (kind === "unreadable") return restError("UPSTREAM_TOKENS_UNREADABLE", { upstream, problem }, { cause });
  const { origin, pathname } = new URL(tokenUrl);
  const values = { upstream, endpoint: origin + pathname, problem };
  if (kind === "rejected") return restError("UPSTREAM_TOKEN_REFUSED", values);
  return restError("UPSTREAM_TOKEN_FAILED", { ...values, delay }, { details: [retryInfo(delay)] });
}

function textOf({ store, refreshToken, clientId, clientSecret, ...rest }: OAuth2Grant): string {
  const secrets = [refreshToken, clientId, clientSecret].map((each) => Secret.of(each ?? "").reveal());
  const { tokenUrl, clientAuthentication = "", scope = "", parameters = {} } = rest;
  return JSON.stringify([tokenUrl, clientAuthentication, scope, parameters, secrets, store?.name ?? ""]);
}
