/** Tests refresh tokens against a model, with refreshes and pauses in any order. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

const GRACE_MS = 10_000;
const MAX_USES = 2;
const INVALID_GRANT = { status: 400, body: { error: "invalid_grant" } };

const startedAt = Date.now();
let shift = 0;
let served: AuthorizedGateway;
let steps: OAuthSteps;
let clientId: string;

beforeAll(async () => {
  const now = () => startedAt + shift;
  const limits = { authorizationRequestsPerClient: 100_000, authorizationRequestsPerMinute: 100_000 };
  const store = new SqliteStore({ file: ":memory:", now });
  const lifetimes = {
    accessTokenSeconds: 86_400,
    refreshTokenSeconds: 86_400,
    grantSeconds: 86_400,
    clientSeconds: 86_400 * 90,
  };
  served = await startAuthorized({ now, store, lifetimes }, { limits: { drainNoticeMs: 1, ...limits } });
  steps = new OAuthSteps(served);
  clientId = await steps.publicClient();
});
afterAll(() => served.close());

/** A refresh token in the model. */
interface ModelToken {
  readonly text: string;
  usedAt: number | undefined;
  uses: number;
}

type Step =
  | { readonly kind: "refresh"; readonly which: number; readonly times: number }
  | { readonly kind: "pause"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant("refresh" as const),
      which: fc.nat({ max: 3 }),
      times: fc.integer({ min: 1, max: 4 }),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("pause" as const),
      ms: fc.constantFrom(1000, 4000, GRACE_MS - 1, GRACE_MS),
    }),
    weight: 1,
  },
);

test("property: a refresh token gives tokens at most twice, and a use at least ten seconds after the first use ends the grant", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (all) => {
      const { body } = await steps.redeem(clientId, await steps.code(clientId));
      const tokens: ModelToken[] = [{ text: String(body.refresh_token), usedAt: undefined, uses: 0 }];
      let isAlive = true;
      for (const each of all) {
        if (each.kind === "pause") {
          shift += each.ms;
          continue;
        }
        const token = tokens[each.which % tokens.length];
        if (token === undefined) throw new Error("there is always a first token");
        const isReuse = token.usedAt !== undefined && startedAt + shift - token.usedAt >= GRACE_MS;
        if (isReuse) isAlive = false;
        const left = isAlive ? MAX_USES - token.uses : 0;
        const answers = await Promise.all(
          Array.from({ length: each.times }, () => steps.refresh(clientId, token.text)),
        );
        const good = answers.filter(({ status }) => status === 200);
        expect(good).toHaveLength(Math.min(each.times, left));
        for (const bad of answers.filter(({ status }) => status !== 200)) {
          expect(bad).toMatchObject(INVALID_GRANT);
        }
        token.uses += good.length;
        token.usedAt ??= startedAt + shift;
        tokens.push(
          ...good.map((one) => ({ text: String(one.body.refresh_token), usedAt: undefined, uses: 0 })),
        );
        for (const one of [...good.map((answer) => answer.body), body]) {
          expect((await steps.call(one.access_token)).status).toBe(isAlive ? 200 : 401);
        }
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);
