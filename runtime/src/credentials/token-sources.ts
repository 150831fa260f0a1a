import { createHmac } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { Secret } from "../text/secret.ts";
import type { Send } from "../token-endpoint/tokens.ts";
import type { OAuth2Grant } from "./oauth2-grant.ts";
import { type TokenFailure, TokenSource } from "./token-source.ts";

/** Grants whose tokens are kept: one of the configuration, or several where a function provides them. */
const MAX_SOURCES = 256;

/** The tokens of a grant, and a text that tells it from others without giving anything away. */
export type TokenSources = (grant: OAuth2Grant) => {
  readonly source: TokenSource;
  readonly identity: string;
};

/**
 * The tokens of grants, by what they ask for: the same grant gets the same tokens,
 * though the configuration was read anew.
 */
export function tokenSources(upstream: string, send: Send, clock: Clock): TokenSources {
  const key = clock.randomHex(32);
  const sources = new Map<string, TokenSource>();
  return (grant) => {
    const identity = createHmac("sha256", key).update(textOf(grant)).digest("base64");
    const errorOf = (failure: TokenFailure) => upstreamTokenError(upstream, grant.tokenUrl, failure);
    const source = sources.get(identity) ?? new TokenSource({ grant, send, clock, errorOf });
    // the one that was used last comes last
    sources.delete(identity);
    sources.set(identity, source);
    const [oldest] = sources.keys();
    if (sources.size > MAX_SOURCES && oldest !== undefined) sources.delete(oldest);
    return { source, identity };
  };
}

/**
 * The error of a call that gets no token: reason UPSTREAM_TOKEN_REFUSED, UPSTREAM_TOKEN_FAILED or
 * UPSTREAM_TOKENS_UNREADABLE.
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
