import type { DescMethod } from "@bufbuild/protobuf";
import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { CredentialKind, MethodRules } from "../adapter/rules.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import { percentEncode } from "../text/percent-encode.ts";
import { Secret } from "../text/secret.ts";
import { problemOfBasic, problemOfSecret } from "./check.ts";
import { type BasicCredentials, type Credentials, kindsOf, type OAuth1Credentials } from "./credentials.ts";
import { authorizationHeader, type Parameter, type SignableRequest } from "./oauth1.ts";

/** The headers or query parameters that credentials add to a request. */
export interface Authorization {
  readonly kind: CredentialKind;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The encoded query parameter with the credentials. Empty if there is none. */
  readonly queryString: string;
  /** The secrets in the request. A response that repeats them must not reach the caller. */
  readonly secrets: readonly Secret[];
}

/** A call that needs credentials. */
export interface Authorizable {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  /** The scheme, host and port of the base address. */
  readonly origin: string;
  /** The path as it is sent: the path of the base address followed by the path of the request. */
  readonly path: string;
}

/** The authorization of a request without credentials. */
export const NO_AUTHORIZATION: Authorization = { kind: "none", headers: [], queryString: "", secrets: [] };

/**
 * Chooses the first kind of credentials in the method's list that is available, and returns its headers or
 * parameters.
 *
 * @throws ConnectError UNAUTHENTICATED, reason UPSTREAM_CREDENTIALS_MISSING or UPSTREAM_CREDENTIALS_INVALID
 */
export function authorize(call: Authorizable, credentials: Credentials, clock: Clock): Authorization {
  switch (chooseKind(call, credentials)) {
    case "api_key":
      return apiKey(call, credentials.apiKey ?? "");
    case "oauth1_client":
      return oauth1(call, { ...credentials.oauth1, token: undefined, tokenSecret: undefined }, clock);
    case "oauth1":
      return { ...oauth1(call, credentials.oauth1 ?? {}, clock), kind: "oauth1" };
    case "oauth2":
      return bearer(call, credentials.oauth2?.accessToken ?? "");
    case "basic":
      return basic(call, credentials.basic ?? { username: "" });
    case "none":
      return NO_AUTHORIZATION;
  }
}

/**
 * Returns the first kind of credentials in the method's list that is available.
 *
 * @throws ConnectError UNAUTHENTICATED, reason UPSTREAM_CREDENTIALS_MISSING
 */
export function chooseKind(
  { method, rules }: Pick<Authorizable, "method" | "rules">,
  credentials: Credentials,
): CredentialKind {
  if (rules.credentials.length === 0) return "none";
  const available = kindsOf(credentials);
  const kind = rules.credentials.find((wanted) => wanted === "none" || available.includes(wanted));
  if (kind !== undefined) return kind;
  throw restError("UPSTREAM_CREDENTIALS_MISSING", {
    upstream: rules.upstream,
    method: fullName(method),
    wanted: rules.credentials.join(", "),
    available: available.length === 0 ? "no credentials" : available.join(", "),
  });
}

function apiKey(call: Authorizable, value: string | Secret): Authorization {
  const { query, header, prefix = "" } = call.rules.apiKey ?? {};
  const secret = sendable(call, "api_key", value);
  const text = prefix + secret.reveal();
  return {
    kind: "api_key",
    headers: header === undefined ? [] : [[header.toLowerCase(), text]],
    queryString: query === undefined ? "" : `${percentEncode(query)}=${percentEncode(text)}`,
    secrets: [secret],
  };
}

function bearer(call: Authorizable, value: string | Secret): Authorization {
  const secret = sendable(call, "oauth2", value);
  const headers = [["authorization", `Bearer ${secret.reveal()}`]] as const;
  return { kind: "oauth2", headers, queryString: "", secrets: [secret] };
}

/** A user name shorter than this is not treated as a secret. */
const MIN_TOKEN = 8;

/**
 * HTTP Basic (RFC 7617 section 2). Many APIs accept a token as the user name, without a password or with a
 * dummy password (`token:x`), so a user name counts as a secret unless it is short.
 */
function basic({ rules }: Authorizable, { username, password = "" }: BasicCredentials): Authorization {
  const [user, word] = [Secret.of(username), Secret.of(password)];
  const problem = problemOfBasic(user, word);
  if (problem !== undefined) {
    throw restError("UPSTREAM_CREDENTIALS_INVALID", { upstream: rules.upstream, kind: "basic", problem });
  }
  const pair = new Secret(Buffer.from(`${user.reveal()}:${word.reveal()}`).toString("base64"));
  return {
    kind: "basic",
    headers: [["authorization", `Basic ${pair.reveal()}`]],
    queryString: "",
    secrets: [
      pair,
      ...(word.reveal() === "" ? [] : [word]),
      ...(word.reveal() === "" || user.reveal().length >= MIN_TOKEN ? [user] : []),
    ],
  };
}

/** Signs with OAuth 1.0a. A token among the request's parameters replaces the token of the credentials. */
function oauth1(call: Authorizable, own: Partial<OAuth1Credentials>, clock: Clock): Authorization {
  const given = new Map(call.request.oauth1Params);
  const [token, tokenSecret] = given.has("oauth_token")
    ? [given.get("oauth_token"), given.get("oauth_token_secret")]
    : [own.token, own.tokenSecret];
  given.delete("oauth_token");
  given.delete("oauth_token_secret");
  const usedToken = token === undefined ? undefined : sendable(call, "oauth1", token);
  const protocol: Parameter[] = [
    ["oauth_consumer_key", sendable(call, "oauth1", own.consumerKey ?? "").reveal()],
    ...(usedToken === undefined ? [] : [["oauth_token", usedToken.reveal()] as const]),
    ["oauth_timestamp", String(Math.floor(clock.now() / 1000))],
    ["oauth_nonce", clock.randomHex(16)],
    ["oauth_version", "1.0"],
    ...given,
  ];
  const key = { consumerSecret: reveal(own.consumerSecret), tokenSecret: reveal(tokenSecret) };
  return {
    kind: "oauth1_client",
    headers: [["authorization", authorizationHeader(signable(call), protocol, key)]],
    queryString: "",
    secrets: [own.consumerKey, own.consumerSecret, usedToken, tokenSecret]
      .filter((each) => each !== undefined)
      .map(Secret.of),
  };
}

function signable({ request, origin, path }: Authorizable): SignableRequest {
  const form = request.body?.kind === "form" ? request.body.text : undefined;
  return { verb: request.verb, origin, path, queryString: request.queryString, form };
}

function reveal(value: string | Secret | undefined): string {
  return Secret.of(value ?? "")
    .reveal()
    .toWellFormed();
}

function sendable({ rules }: Authorizable, kind: CredentialKind, value: string | Secret): Secret {
  const secret = Secret.of(value);
  const problem = problemOfSecret(secret);
  if (problem === undefined) return secret;
  throw restError("UPSTREAM_CREDENTIALS_INVALID", { upstream: rules.upstream, kind, problem });
}
