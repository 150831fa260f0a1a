/**
 * The steps of OAuth 2.1 for a public client: authorization code with PKCE. The gateway that serves the page
 * is the authorization server.
 */

/** The client ID of the console. */
const CLIENT_ID = "connect-rest-console";

/** The scope of explanations, which the page requests only when a person asks for an explanation. */
const ON_DEMAND = "explain";

/** The part of the metadata (RFC 8414 section 2) that the page uses. */
interface Metadata {
  readonly issuer: string;
  /** Undefined if nobody can sign in. */
  readonly authorization_endpoint?: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  readonly scopes_supported?: readonly string[];
}

export interface Tokens {
  readonly accessToken: string;
  /** Undefined if the token cannot be refreshed. */
  readonly refreshToken: string | undefined;
  /** By `performance.now()`. */
  readonly expiresAt: number;
  /** Undefined if the page does not know the scopes. */
  readonly scopes: readonly string[] | undefined;
}

/** A sign-in that has begun. The browser tab keeps it while it shows other pages. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
  /** The fragment of the address to which the person returns. */
  readonly place: string;
}

const KEY = "connect-rest.sign-in";

/** The problem of a sign-in, in words for a person. */
export class SignInError extends Error {}

/** The gateway is known by another address, where the person has to open the console. */
export class OtherAddress extends SignInError {
  readonly issuer: string;

  constructor(issuer: string) {
    super("Callers reach this gateway by another address.");
    this.issuer = issuer;
  }
}

/** Returns the metadata of the gateway. */
export async function discover(): Promise<Metadata> {
  const response = await fetch("/.well-known/oauth-authorization-server");
  if (!response.ok) throw new SignInError(`The gateway has no sign-in: status ${response.status}.`);
  const metadata = (await response.json()) as Metadata;
  if (metadata.issuer !== location.origin) throw new OtherAddress(metadata.issuer);
  const { authorization_endpoint: authorize, token_endpoint: token, revocation_endpoint: revoke } = metadata;
  const isOwn = [token, revoke, authorize].every(
    (each) => each === undefined || URL.parse(each)?.origin === location.origin,
  );
  if (!isOwn) throw new SignInError("The gateway names endpoints of another server.");
  return metadata;
}

/** Leaves the page to sign in. A person who has signed in returns to the fragment `place`. */
export async function leave(scopes: readonly string[] | undefined, place: string): Promise<void> {
  const { issuer, authorization_endpoint: endpoint, scopes_supported: all = [] } = await discover();
  if (endpoint === undefined) throw new SignInError("Nobody can sign in here.");
  const begun: Begun = { state: random(), verifier: random(), place };
  const scope = (scopes ?? all.filter((each) => each !== ON_DEMAND)).join(" ");
  const address = new URL(endpoint);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: CLIENT_ID,
    redirect_uri: redirectUriOf(issuer),
    resource: issuer,
    state: begun.state,
    code_challenge: await challengeOf(begun.verifier),
    code_challenge_method: "S256",
    ...(scope === "" ? {} : { scope }),
  }).toString();
  sessionStorage.setItem(KEY, JSON.stringify(begun));
  location.assign(address);
}

/**
 * Redeems the code with which the browser has returned to the page. Resolves to undefined if the page was
 * opened in another way.
 *
 * @throws SignInError
 */
export async function arrive(): Promise<Tokens | undefined> {
  const query = new URLSearchParams(location.search);
  if (!query.has("code") && !query.has("error")) return undefined;
  const begun = takeBegun();
  history.replaceState(null, "", `/${begun?.place ?? location.hash}`);
  if (begun === undefined || query.get("state") !== begun.state) {
    throw new SignInError("This sign-in was begun in another tab, or is over already.");
  }
  const metadata = await discover();
  // another server's response is not accepted (RFC 9207 section 2.4)
  if (query.get("iss") !== metadata.issuer) throw new SignInError("The response is from another server.");
  const code = query.get("code");
  if (code === null) throw new SignInError(refusalText(query));
  return requestTokens(metadata, {
    grant_type: "authorization_code",
    code,
    code_verifier: begun.verifier,
    redirect_uri: redirectUriOf(metadata.issuer),
  });
}

/** @throws SignInError if the server rejects the refresh token */
export async function refresh(refreshToken: string): Promise<Tokens> {
  return requestTokens(await discover(), { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** Revokes a token and its grant (RFC 7009). Never rejects. */
export async function revoke(token: string): Promise<void> {
  try {
    const { revocation_endpoint: endpoint } = await discover();
    await post(endpoint, { token });
  } catch {
    // the page forgets the token in any case
  }
}

async function requestTokens(
  { issuer, token_endpoint: endpoint }: Metadata,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const response = await post(endpoint, { ...form, resource: issuer });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  if (!response.ok) {
    const text = String(body.error_description ?? body.error ?? `status ${response.status}`);
    // only this status says that the grant has ended
    if (response.status === 400) throw new SignInError(`The gateway gave no token: ${text}.`);
    throw new Error(text);
  }
  const { access_token: accessToken, token_type: type, refresh_token: next, expires_in: seconds } = body;
  if (typeof accessToken !== "string" || String(type).toLowerCase() !== "bearer") {
    throw new SignInError("The gateway gave no bearer token.");
  }
  return {
    accessToken,
    refreshToken: typeof next === "string" ? next : undefined,
    expiresAt: performance.now() + (typeof seconds === "number" ? seconds * 1000 : Infinity),
    scopes: typeof body.scope === "string" ? body.scope.split(" ") : undefined,
  };
}

function post(endpoint: string, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(endpoint, { method: "POST", body: new URLSearchParams({ ...form, client_id: CLIENT_ID }) });
}

/** Returns the sign-in that has begun in this tab, once. */
function takeBegun(): Begun | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as Begun);
}

function refusalText(query: URLSearchParams): string {
  if (query.get("error") === "access_denied") return "You did not allow access.";
  return `The sign-in failed: ${query.get("error_description") ?? query.get("error") ?? ""}.`;
}

function redirectUriOf(issuer: string): string {
  return `${issuer}/`;
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function random(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
