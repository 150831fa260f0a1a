/** Compares actions of an upstream and calls at two replicas, in any order, with a model of a session. */
import { ConnectError } from "@connectrpc/connect";
import { type Credentials, reasonOf, Secret } from "connect-rest-runtime";
import { retryDelayOf } from "connect-rest-runtime/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SqliteStore } from "../store/sqlite-store.ts";
import { send, startOAuth2Provider } from "../testing/provider-server.ts";
import { newKey, providerSettings, startSignIn } from "../testing/sign-in-world.ts";

const KEY = newKey();
/**
 * A time step longer than the time for which sessions are cached, and shorter than the pause after a failure.
 */
const STEP_MS = 1500;
const PAUSE_MS = 5000;

const EVENTS = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("call" as const), at: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("invalidate" as const) }) },
  fc.record({ kind: fc.constant("revoke" as const) }),
  fc.record({
    kind: fc.constant("endpoint" as const),
    state: fc.constantFrom("up" as const, "unwell" as const, "gone" as const, "garbage" as const),
  }),
  fc.record({ kind: fc.constant("reject everything" as const), isOn: fc.boolean() }),
  fc.record({ kind: fc.constant("pass" as const) }),
);

test("property: only a rejected refresh, or a second 401 after a refresh, ends a session, and the first call reports it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(EVENTS, { minLength: 4, maxLength: 25 }), async (events) => {
      const provider = await startOAuth2Provider();
      let now = 1_800_000_000_000;
      const store = new SqliteStore({ file: ":memory:", now: () => now });
      const worlds = await Promise.all(
        [0, 1].map(() =>
          startSignIn({
            providers: [providerSettings("blog", provider)],
            settings: { keys: [KEY] },
            now: () => now,
            store,
          }),
        ),
      );
      provider.lifetime = undefined;
      const tokens = new Map([["blog", provider.signIn()]]);
      const id = (await worlds[0]?.sessions.start("blog:demo", tokens)) ?? "";
      const model = { isEnded: false, isGood: true, canRefresh: true, state: "up", rejectsAll: false };
      const pausedAt = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

      const isTaken = ({ oauth2 }: Credentials) =>
        !model.rejectsAll && provider.accountOf(Secret.of(oauth2?.accessToken ?? "").reveal()) === "demo";
      /** Makes a call in the same way as the runtime. */
      const call = async (at: number): Promise<string> => {
        try {
          const first = await worlds[at]?.sessions.credentials(id, "blog");
          if (first === undefined || isTaken(first)) return "ok";
          const second = await first.rejected?.();
          if (second === undefined) return "401";
          if (isTaken(second)) return "ok";
          await second.rejected?.();
          return "401";
        } catch (error) {
          if (!(error instanceof ConnectError)) return String(error);
          if (reasonOf(error) === "SESSION_UNAVAILABLE") expect(retryDelayOf(error)).toBeGreaterThan(0);
          return reasonOf(error) ?? "";
        }
      };
      /** Returns the expected result of a call, and updates the model. */
      const expected = (at: number): string => {
        if (model.isEnded) return "SESSION_ENDED";
        if (model.isGood && !model.rejectsAll) return "ok";
        if (now - (pausedAt[at] ?? 0) < PAUSE_MS) return "SESSION_UNAVAILABLE";
        if (model.state !== "up") {
          pausedAt[at] = now;
          return "SESSION_UNAVAILABLE";
        }
        model.isGood = true;
        model.isEnded = !model.canRefresh || model.rejectsAll;
        return model.isEnded ? "SESSION_ENDED" : "ok";
      };

      for (const event of events) {
        now += STEP_MS;
        if (event.kind === "invalidate") {
          provider.expire();
          model.isGood = false;
        } else if (event.kind === "revoke") {
          provider.forget();
          [model.isGood, model.canRefresh] = [false, false];
        } else if (event.kind === "endpoint") {
          model.state = event.state;
          provider.faults.set("/token refresh", (_request, response) => {
            if (event.state === "unwell") send(response, 503, {});
            if (event.state === "gone") response.destroy();
            if (event.state === "garbage") response.end("<html>");
            return event.state !== "up";
          });
        } else if (event.kind === "reject everything") {
          model.rejectsAll = event.isOn;
        } else if (event.kind === "pass") {
          now += PAUSE_MS;
        } else {
          expect(await call(event.at)).toBe(expected(event.at));
          for (const { sessions } of worlds) {
            now += STEP_MS;
            expect(await sessions.isAlive(id)).toBe(!model.isEnded);
          }
        }
      }
      const ends = worlds.flatMap(({ reports }) => reports.filter((report) => report === "end blog"));
      expect(ends).toHaveLength(model.isEnded ? 1 : 0);
      for (const world of worlds) await world.stop();
      await store.close();
      await provider.close();
    }),
    { numRuns: 60, interruptAfterTimeLimit: 30_000 },
  );
}, 60_000);
