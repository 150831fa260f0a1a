import type { Entry } from "../store/store.ts";

/** A stored access token. */
export interface StoredToken {
  /** The key of its row: the SHA-256 hash of the token. */
  readonly key: string;
  readonly clientId: string;
  /** The person; undefined if the client calls for itself. */
  readonly subject: string | undefined;
  readonly sessionId: string | undefined;
  readonly scopes: ReadonlySet<string>;
  readonly audience: string;
  readonly grantId: string | undefined;
  /** The expiry, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Reads the row of an access token. Returns undefined for a row of another kind. */
export function storedTokenOf(key: string, { value, expiresAt, grant }: Entry): StoredToken | undefined {
  const { payload } = JSON.parse(value) as { readonly payload?: Record<string, unknown> };
  const { clientId, accountId, scope, aud, extra } = payload ?? {};
  if (typeof clientId !== "string" || typeof aud !== "string" || expiresAt === undefined) return undefined;
  const { session } = Object(extra) as { readonly session?: unknown };
  return {
    key,
    clientId,
    subject: typeof accountId === "string" ? accountId : undefined,
    sessionId: typeof session === "string" ? session : undefined,
    scopes: new Set(typeof scope === "string" ? scope.split(" ") : []),
    audience: aud,
    grantId: grant,
    expiresAt,
  };
}

/** Returns the redirect URI in the row of a code. */
export function redirectUriOf({ value }: Entry): string | undefined {
  const { payload } = JSON.parse(value) as { readonly payload?: Record<string, unknown> };
  return typeof payload?.redirectUri === "string" ? payload.redirectUri : undefined;
}
