import type { Sessions } from "../interaction.ts";
import type { Store } from "../store/store.ts";

/** The kind of grant rows. A grant contains the permissions that a person has given a client. */
export const GRANT_KIND = "Grant";

/** The kind of access token rows, both people's and clients'. */
export const TOKEN_KIND = "AccessToken";

/** Ends grants, with everything that depends on them. */
export interface Grants {
  /** Revokes all tokens of a grant, and ends its session unless another grant uses the session. */
  revoke(grantId: string): Promise<void>;
}

/** @param onRevoked called once a grant has been removed, before `revoke` resolves */
export function createGrants(
  store: Store,
  sessions: Sessions | undefined,
  onRevoked: (grantId: string) => void,
): Grants {
  const running = new Map<string, Promise<void>>();
  const revoke = async (grantId: string) => {
    const session = (await store.get(GRANT_KIND, grantId))?.session;
    await store.deleteBy({ grant: grantId });
    onRevoked(grantId);
    if (session === undefined || sessions === undefined) return;
    const others = await store.listBy({ session });
    if (!others.some(({ kind }) => kind === GRANT_KIND)) await sessions.end(session);
  };
  return {
    revoke: (grantId) => {
      // the engine calls this function several times concurrently
      const one = running.get(grantId) ?? revoke(grantId).finally(() => running.delete(grantId));
      running.set(grantId, one);
      return one;
    },
  };
}
