/** Kills a process at each step of a refresh, while another process waits for the refresh. */
import { ConnectError } from "@connectrpc/connect";
import { reasonOf, Secret } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { SqliteStore } from "../store/sqlite-store.ts";
import { mortal } from "../testing/mortal.ts";
import { startOAuth2Provider } from "../testing/provider-server.ts";
import { newKey, providerSettings, startSignIn } from "../testing/sign-in-world.ts";

/** An upper bound for the number of store operations in a refresh. */
const STEPS = 16;
const TAKEN_OVER_WITHIN_MS = 3000;
/** Additional time for a busy machine. */
const SLACK_MS = 1500;

/** Kills a replica before operation `step` of a refresh. Resolves with the result of another replica. */
async function killedBefore(step: number, rotates: boolean): Promise<string> {
  const provider = await startOAuth2Provider();
  const settings = { keys: [newKey()] };
  const store = new SqliteStore({ file: ":memory:" });
  const options = { providers: [providerSettings("blog", provider)], settings };
  const other = await startSignIn({ ...options, store });
  const id = await other.sessions.start("blog:demo", new Map([["blog", provider.signIn()]]));
  const killed = await startSignIn({ ...options, store: mortal(store, step) });
  provider.rotates = rotates;
  provider.expire();
  const refresh = async ({ sessions }: typeof other) => (await sessions.credentials(id, "blog")).rejected?.();
  void refresh(killed).catch(() => undefined);
  const from = performance.now();
  try {
    const token = Secret.of((await refresh(other))?.oauth2?.accessToken ?? "").reveal();
    return provider.accountOf(token) === "demo" ? "ok" : "a bad token";
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    expect(error.message).toContain("sign in again");
    return reasonOf(error) ?? "";
  } finally {
    expect(performance.now() - from).toBeLessThan(TAKEN_OVER_WITHIN_MS + SLACK_MS);
    await Promise.all([other.stop(), killed.stop()]);
    await provider.close();
  }
}

test.each([
  ["keeps refresh tokens, no session ends", false],
  ["rotates refresh tokens, one session may end, with an error that states the remedy", true],
])(
  "another replica takes over within 3 s after one is killed at any step of a refresh; if the upstream %s",
  async (_, rotates) => {
    const steps = Array.from({ length: STEPS }, (__, step) => step);
    const outcomes = await Promise.all(steps.map((step) => killedBefore(step, rotates)));
    const others = outcomes.filter((outcome) => outcome !== "ok");
    if (!rotates) expect(others).toEqual([]);
    expect(new Set(others)).toEqual(new Set(rotates ? ["SESSION_ENDED"] : []));
    // only a kill between the response of the upstream and the commit to the store has this effect
    expect(others.length).toBeLessThanOrEqual(2);
  },
  30_000,
);
