/** Compares authorization requests of clients and people in any order with a model of remembered consents. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OAuth2TestProvider, startOAuth2Provider } from "../testing/provider-server.ts";
import { browse, decide, providerSettings, type SignInWorld, startSignIn } from "../testing/sign-in-world.ts";

let provider: OAuth2TestProvider;
let world: SignInWorld;

beforeEach(async () => {
  provider = await startOAuth2Provider();
  world = await startSignIn({
    providers: [providerSettings("blog", provider)],
    settings: { consentMs: 3_600_000 },
  });
});
afterEach(async () => {
  await world.stop();
  await provider.close();
});

const CLIENTS = {
  configured: { id: "configured", isRegistered: false, redirectHost: "app.example" },
  registered: { id: "registered", isRegistered: true, redirectHost: "app.example" },
  // any program on the person's machine could impersonate this client
  native: { id: "native", isRegistered: true, redirectHost: "127.0.0.1:4567" },
};

const request = fc.record({
  client: fc.constantFrom(...(["configured", "registered", "native"] as const)),
  person: fc.constantFrom("ada", "grace"),
  scopes: fc.constantFrom(["read"], ["read", "write"]),
  asksConsent: fc.boolean(),
  decision: fc.constantFrom("allow", "deny"),
});

test("property: a person is asked for consent if no consent is remembered, and whenever the client requests it", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 6 }), async (requests) => {
      run += 1;
      const remembered = new Map<string, readonly string[]>();
      for (const { client, person, scopes, asksConsent, decision } of requests) {
        provider.account = `${person}-${run}`;
        const key = `${client} ${person}`;
        const isKnown = scopes.every((scope) => remembered.get(key)?.includes(scope) === true);
        const { flow, ended } = world.start(CLIENTS[client], scopes, asksConsent);
        const page = await browse(world.url + flow.path);
        expect(page.text.includes("Allow access")).toBe(asksConsent || !isKnown);
        if (page.status === 200) await decide(page, decision);
        const isAllowed = page.status !== 200 || decision === "allow";
        expect("subject" in (await ended)).toBe(isAllowed);
        if (isAllowed && page.status === 200 && client !== "native") remembered.set(key, scopes);
      }
    }),
    { numRuns: 30 },
  );
});
