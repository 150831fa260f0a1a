import { errors } from "oidc-provider";

/**
 * How far ahead an assertion may expire, in seconds: it is remembered until then, so that it is good once.
 */
export const MAX_ASSERTION_SECONDS = 3600;

/**
 * Types of the header (RFC 7515 section 4.1.9) that an assertion of a client may have;
 * another one was signed for something else.
 */
const TYPES: ReadonlySet<string> = new Set(["jwt", "client-authentication+jwt"]);

type Claims = Readonly<Record<string, unknown>>;

/**
 * Checks what the engine does not look at in an assertion by which a client authenticates (RFC 7523 section
 * 3), once its signature, issuer, audience and expiry are good.
 *
 * @param now in milliseconds since the epoch
 * @throws InvalidClientAuth, with the reason for the client
 */
export function checkAssertion({ exp, aud }: Claims, { crit, typ, b64 }: Claims, now: number): void {
  if (crit !== undefined || b64 !== undefined) {
    // RFC 7515 section 4.1.11: what has to be understood, and is not
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
 * The engine tells its log alone why; the signature was good, so that nobody learns what they must not know.
 */
function rejected(text: string): Error {
  const error = new errors.InvalidClientAuth(text);
  error.error_description = text;
  return error;
}
