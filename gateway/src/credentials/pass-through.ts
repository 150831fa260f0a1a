import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import {
  type Credentials,
  type CredentialsFunction,
  Secret,
  type ServiceAdapter,
} from "connect-rest-runtime";
import type { CredentialKind, FixedCredentials } from "connect-rest-runtime/internal";
import { fullName } from "connect-rest-runtime/internal";
import { gatewayError } from "../call/gateway-error.ts";

/** The request header that carries one of a caller's secrets. */
interface From {
  readonly header: string;
}

/** The request headers that carry each caller's credentials. */
export interface PassThrough {
  readonly apiKey?: From | undefined;
  /**
   * The headers with the user's token and its secret; the client's key and secret are the configured ones.
   */
  readonly oauth1?: { readonly token: From; readonly tokenSecret: From } | undefined;
  /** The header with the token, bare or after `Bearer `. */
  readonly oauth2?: From | undefined;
  /** The header with a user and password in the syntax of RFC 7617, bare or after `Basic `. */
  readonly basic?: From | undefined;
}

/** Returns the kinds of credentials that a method accepts, in order of preference. */
export type WantedKinds = (method: DescMethod) => readonly CredentialKind[];

/** Returns the credential kinds that the methods of adapters accept. */
export function wantedKindsOf(adapters: readonly ServiceAdapter[]): WantedKinds {
  const services = new Map(adapters.map(({ service, methods }) => [service.typeName, methods]));
  return ({ parent, localName }) => services.get(parent.typeName)?.[localName]?.rules.credentials ?? [];
}

/** Returns the header names in lower case. */
export function headersOf({ apiKey, oauth1, oauth2, basic }: PassThrough): string[] {
  const places = [apiKey, oauth1?.token, oauth1?.tokenSecret, oauth2, basic];
  return places.flatMap((place) => (place === undefined ? [] : [place.header.toLowerCase()]));
}

/**
 * Returns a credentials function that adds credentials from the headers of each call to the fixed
 * credentials. Nothing else reads these headers, and no other upstream receives them. A caller that sends no
 * credentials of a kind that the method accepts gets UNAUTHENTICATED, with the header names.
 */
export function passThroughCredentials(
  upstream: string,
  fixed: FixedCredentials,
  from: PassThrough,
  wantedKinds: WantedKinds,
): CredentialsFunction {
  return ({ method, header }) => {
    const brought = { ...fixed, ...read(from, fixed, header) };
    const wanted = wantedKinds(method);
    const missing = wanted.filter((kind) => headersFor(kind, from).length > 0);
    if (missing.length > 0 && !wanted.some((kind) => has(brought, kind))) {
      throw missingError(upstream, method, missing, from);
    }
    return brought;
  };
}

function read(from: PassThrough, fixed: FixedCredentials, header: Headers): Credentials {
  const apiKey = broughtIn(header, from.apiKey);
  const oauth2 = broughtIn(header, from.oauth2)?.replace(/^Bearer +/i, "");
  const token = broughtIn(header, from.oauth1?.token);
  const tokenSecret = broughtIn(header, from.oauth1?.tokenSecret);
  return {
    ...(apiKey === undefined ? {} : { apiKey: new Secret(apiKey) }),
    ...(oauth2 === undefined ? {} : { oauth2: { accessToken: new Secret(oauth2) } }),
    ...basicOf(broughtIn(header, from.basic)),
    ...(token === undefined || tokenSecret === undefined || fixed.oauth1 === undefined
      ? {}
      : { oauth1: { ...fixed.oauth1, token: new Secret(token), tokenSecret: new Secret(tokenSecret) } }),
  };
}

/** Returns no credentials if the decoded value has no colon. */
function basicOf(value: string | undefined): Pick<Credentials, "basic"> {
  const text = Buffer.from(value?.replace(/^Basic +/i, "") ?? "", "base64").toString();
  const colon = text.indexOf(":");
  if (colon < 0) return {};
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)].map((part) => new Secret(part));
  return username === undefined ? {} : { basic: { username, password } };
}

function broughtIn(header: Headers, from: From | undefined): string | undefined {
  const value = from === undefined ? null : header.get(from.header);
  return value === null || value === "" ? undefined : value;
}

/** Returns whether the credentials include a kind. */
export function has({ apiKey, oauth1, oauth2, basic }: FixedCredentials, kind: CredentialKind): boolean {
  switch (kind) {
    case "none":
      return true;
    case "api_key":
      return apiKey !== undefined;
    case "oauth1_client":
      return oauth1 !== undefined;
    case "oauth1":
      return oauth1?.token !== undefined;
    case "oauth2":
      return oauth2 !== undefined;
    case "basic":
      return basic !== undefined;
  }
}

function headersFor(kind: CredentialKind, { apiKey, oauth1, oauth2, basic }: PassThrough): string[] {
  if (kind === "api_key") return headersOf({ apiKey });
  if (kind === "oauth1") return headersOf({ oauth1 });
  if (kind === "basic") return headersOf({ basic });
  return kind === "oauth2" ? headersOf({ oauth2 }) : [];
}

function missingError(
  upstream: string,
  method: DescMethod,
  kinds: readonly CredentialKind[],
  from: PassThrough,
): ConnectError {
  const ways = kinds.map((kind) => headersFor(kind, from).join(" and "));
  const text = `${fullName(method)} needs the caller's credentials for the upstream ${upstream}; send them in the header ${ways.join(", or in ")}`;
  return gatewayError("UPSTREAM_CREDENTIALS_MISSING", text, Code.Unauthenticated, [], undefined, upstream);
}
