import { errors } from "oidc-provider";

/**
 * The maximum remaining life of an assertion, in seconds. The assertion is recorded until it expires, so that
 * it is valid only once.
 */
export const MAX_ASSERTION_SECONDS = 3600;

/**
 * The header types (RFC 7515 section 4.1.9) that a client assertion may have. A token with another type was
 * signed for another purpose.
 */
const TYPES: ReadonlySet<string> = new Set(["jwt", "client-authentication+jwt"]);

type Claims = Readonly<Record<string, unknown>>;

/**
 * Performs the checks of a client assertion (RFC 7523 section 3) that the engine omits. The engine has
 * already verified the signature, issuer, audience and expiry.
 *
 * @param now in milliseconds since the epoch
 * @throws InvalidClientAuth, with the reason for the client
 */
export function checkAssertion({ exp, aud }: Claims, { crit, typ, b64 }: Claims, now: number): void {
  if (crit !== undefined || b64 !== undefined) {
    // `crit` names extensions that the server must support (RFC 7515 section 4.1.11); this server supports
    // none
    throw rejected("the header of the assertion must not have crit or b64: no extensions are understood");
  }
  if (typ !== undefined && !(typeof typ === "string" && TYPES.has(typ.toLowerCase()))) {
    throw rejected("the typ of the assertion must be JWT or client-authentication+jwt");
  }
  if (Array.isArray(aud) && aud.length !== 1) {
    throw rejected("the aud of the assertion must be this server alone");
  }
  if (!(typeof exp === "number" && exp <= now / 1000 + MAX_ASSERTION_SECONDS)) {
    throw rejected(`the assertion must expire within ${MAX_ASSERTION_SECONDS} seconds`);
  }
}

/**
 * Creates an error whose reason is sent to the client; the engine would only log the reason. The signature
 * was valid, so the reason reveals nothing to strangers.
 */
function rejected(text: string): Error {
  const error = new errors.InvalidClientAuth(text);
  error.error_description = text;
  return error;
}
