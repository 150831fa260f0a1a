import { randomBytes } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Credentials, Secret, type UpstreamFetch } from "connect-rest-runtime";
import { signOAuth1, smallJson } from "connect-rest-runtime/internal";
import { shown } from "./provider.ts";

/** Makes a call that returns the identity of a person, or that shows that the person's session is alive. */
export type Probe = (credentials: Credentials) => Promise<ProbeResult>;

/**
 * The result of a probe. `rejected`: the upstream does not accept the token. `unavailable`: the result is
 * unknown.
 */
export type ProbeResult =
  | { readonly kind: "fine"; readonly value: unknown }
  | { readonly kind: "rejected" }
  | { readonly kind: "unavailable"; readonly text: string };

/** Calls an RPC method of the gateway with credentials, and resolves to its response as JSON. */
export type CallMethod = (method: string, request: unknown, credentials: Credentials) => Promise<unknown>;

/** Creates a probe that calls a method of an adapter. */
export function methodProbe(method: string, request: unknown, call: CallMethod): Probe {
  return async (credentials) => {
    try {
      return { kind: "fine", value: await call(method, request, credentials) };
    } catch (error) {
      const { code, rawMessage } = ConnectError.from(error);
      if (code === Code.Unauthenticated) return { kind: "rejected" };
      return { kind: "unavailable", text: shown(`${method}: ${rawMessage}`) };
    }
  };
}

/** Creates a probe that requests JSON from an address, such as the UserInfo endpoint of OpenID Connect. */
export function urlProbe(address: string, http: UpstreamFetch, now: () => number): Probe {
  const runOnce = async (credentials: Credentials): Promise<ProbeResult> => {
    try {
      const authorization = authorizationOf(credentials, address, now());
      const response = await http.fetch(address, { headers: { accept: "application/json", authorization } });
      const text = await response.text();
      if (response.status === 401) return { kind: "rejected" };
      if (!response.ok) return { kind: "unavailable", text: `status ${response.status}` };
      const value = smallJson(text);
      return value === undefined
        ? { kind: "unavailable", text: "a response that is no JSON, or has too many values" }
        : { kind: "fine", value };
    } catch (error) {
      return { kind: "unavailable", text: shown(error instanceof Error ? error.message : String(error)) };
    }
  };
  return async (credentials) => {
    const result = await runOnce(credentials);
    if (result.kind !== "rejected" || credentials.rejected === undefined) return result;
    const refreshed = await credentials.rejected();
    if (refreshed === undefined) return result;
    const again = await runOnce(refreshed);
    if (again.kind === "rejected") await refreshed.rejected?.();
    return again;
  };
}

function authorizationOf({ oauth1, oauth2 }: Credentials, address: string, now: number): string {
  if (oauth2 !== undefined) return `Bearer ${Secret.of(oauth2.accessToken).reveal()}`;
  if (oauth1 === undefined) return "";
  const { consumerKey, consumerSecret = "", token, tokenSecret } = oauth1;
  const signer = {
    consumerKey: Secret.of(consumerKey),
    consumerSecret: Secret.of(consumerSecret),
    token: token === undefined ? undefined : Secret.of(token),
    tokenSecret: tokenSecret === undefined ? undefined : Secret.of(tokenSecret),
  };
  const moment = { now, nonce: randomBytes(16).toString("hex") };
  return signOAuth1({ method: "GET", url: new URL(address) }, signer, moment);
}

/** The maximum length of an account name, in characters. */
const MAX_ACCOUNT = 256;

/**
 * Returns the name of the account in a response: a string or an integer at a dotted path.
 *
 * @returns undefined if the name is absent or too long, or contains control characters
 */
export function accountIn(value: unknown, path: string): string | undefined {
  let found = value;
  for (const key of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  const text = Number.isSafeInteger(found) ? String(found) : found;
  if (typeof text !== "string" || text.length === 0 || text.length > MAX_ACCOUNT) return undefined;
  return /\p{Cc}/u.test(text) || !text.isWellFormed() ? undefined : text;
}
