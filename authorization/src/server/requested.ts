import Provider, { errors } from "oidc-provider";

/** The part of the engine's context that this module sets. */
interface RequestContext {
  readonly oidc: { readonly params?: Record<string, unknown> | undefined };
}

/** The engine knows the request being served, which its types omit. */
const current = Provider as unknown as { readonly ctx: RequestContext };

/** Scope names (RFC 6749 section 3.3), or none. */
const WELL_FORMED = /^(?:[!#-[\]-~]+(?: [!#-[\]-~]+)*)?$/;

/** OpenID Connect scopes: no ID tokens are issued, and a grant type controls refresh tokens. */
const OF_OPENID: ReadonlySet<string> = new Set(["openid", "offline_access"]);

/**
 * Gives authorization requests the errors of RFC 6749 section 4.1.2.1, and determines their scopes. The
 * engine asks its clients for response modes and types in this order, before it compares scopes.
 */
export function settleAuthorizationRequests({ Client }: Provider, scopes: readonly string[]): void {
  const { responseTypeAllowed } = Client.prototype;
  type Client = InstanceType<typeof Client>;
  Client.prototype.responseModeAllowed = (_mode: unknown, type: unknown) => {
    const isKnown = typeof type !== "string" || type.split(" ").every((each) => each === "code");
    if (!isKnown) throw new errors.UnsupportedResponseType();
    return true;
  };
  Client.prototype.responseTypeAllowed = function (this: Client, type: "code") {
    if (!responseTypeAllowed.call(this, type)) {
      throw new errors.UnauthorizedClient("the client is not registered for the grant authorization_code");
    }
    settleScopes(current.ctx, scopes, this.scope);
    return true;
  };
}

/**
 * Gives a client that names no scope all scopes that it may have. Unknown scopes, and scopes that it may
 * not have, are omitted; the response to the token request names the remaining ones (RFC 6749 section 3.3).
 *
 * @throws InvalidScope if no scope remains, before a person signs in for nothing
 */
export function settleScopes({ oidc }: RequestContext, all: readonly string[], ofClient?: string): void {
  const { params = {} } = oidc;
  const { scope: text = "" } = params;
  if (typeof text !== "string" || !WELL_FORMED.test(text)) {
    throw new errors.InvalidScope("scope must be names with one space between them", String(text));
  }
  const allowed = ofClient === undefined ? all : all.filter((scope) => ofClient.split(" ").includes(scope));
  const asked = text.split(" ").filter((scope) => scope !== "" && !OF_OPENID.has(scope));
  const given = asked.length === 0 ? allowed : allowed.filter((scope) => asked.includes(scope));
  if (given.length === 0) {
    throw new errors.InvalidScope(`the client may have these scopes: ${allowed.join(" ")}`, asked.join(" "));
  }
  params.scope = given.join(" ");
}
