import Provider, { errors } from "oidc-provider";

/** The part of the engine's context that this module sets. */
interface RequestContext {
  readonly oidc: { readonly params?: Record<string, unknown> | undefined };
}

/** The engine provides the current request, but its types omit that property. */
const current = Provider as unknown as { readonly ctx: RequestContext };

/** Scope names (RFC 6749 section 3.3), or an empty string. */
const WELL_FORMED = /^(?:[!#-[\]-~]+(?: [!#-[\]-~]+)*)?$/;

/**
 * The OpenID Connect scopes. They are ignored: no ID tokens are issued, and a grant type controls refresh
 * tokens.
 */
const OF_OPENID: ReadonlySet<string> = new Set(["openid", "offline_access"]);

/**
 * Makes the engine report the errors of RFC 6749 section 4.1.2.1 for authorization requests, and determines
 * the scopes of these requests. The engine calls `responseModeAllowed`, then `responseTypeAllowed`, and only
 * then compares scopes.
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
 * Gives a client that names no scope all scopes that it may have. Omits unknown scopes, and scopes that the
 * client may not have; the token response names the remaining scopes (RFC 6749 section 3.3).
 *
 * @throws InvalidScope if no scope remains; otherwise the person would sign in for nothing
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
