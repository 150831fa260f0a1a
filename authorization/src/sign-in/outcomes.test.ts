/**
 * Sends every kind of request to the pages of a sign-in, and compares the log with the outcome of the
 * response.
 */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { knownOutcome } from "../server/outcomes.ts";
import { type OAuth2TestProvider, startOAuth2Provider } from "../testing/provider-server.ts";
import { browse, providerSettings, type SignInWorld, startSignIn } from "../testing/sign-in-world.ts";

let provider: OAuth2TestProvider;
let world: SignInWorld;

beforeEach(async () => {
  provider = await startOAuth2Provider();
  world = await startSignIn({ providers: [providerSettings("blog", provider)] });
});
afterEach(async () => {
  await world.stop();
  await provider.close();
});

const FORM = "application/x-www-form-urlencoded";

const request = fc.record({
  method: fc.constantFrom("GET", "POST", "POST", "POST", "PUT"),
  step: fc.constantFrom("", "/decision", "/decision", "/decision", "/return", "/other"),
  site: fc.constantFrom(undefined, "same-origin", "same-site", "cross-site", "none"),
  proof: fc.constantFrom("own", "own", "of another flow", "made up", undefined),
  decision: fc.constantFrom("allow", "deny", "leave", "maybe", undefined),
  type: fc.constantFrom(FORM, FORM, FORM, "application/json"),
  /** The event before the request: the person has opened the consent page, or the upstream has failed. */
  before: fc.constantFrom("consent", "failure", "nothing"),
});

/** Begins a flow, and returns its path and the proof in its consent page. */
async function begin(before: string): Promise<{ path: string; proof: string }> {
  const { flow } = world.start();
  if (before === "failure") {
    provider.faults.set("/me", (_request, response) => {
      response.writeHead(500).end();
      return true;
    });
  }
  const page = before === "nothing" ? undefined : await browse(world.url + flow.path);
  provider.faults.clear();
  return { path: flow.path, proof: /name="proof" value="([^"]+)"/.exec(page?.text ?? "")?.[1] ?? "unseen" };
}

test("property: a request is logged as ok if its response is successful, and as forged if its form is forged", async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, step, site, proof, decision, type, before }) => {
      const own = await begin(before);
      const proofs = { own: own.proof, "made up": "x", "of another flow": (await begin("consent")).proof };
      const form = { ...(proof && { proof: proofs[proof] }), ...(decision && { decision }) };
      const headers = { "content-type": type, ...(site && { "sec-fetch-site": site }) };
      const body = method === "GET" ? undefined : new URLSearchParams(form).toString();
      const count = world.outcomes.length;
      const sent = { method, headers, redirect: "manual", ...(body !== undefined && { body }) } as const;
      const { status } = await fetch(world.url + own.path + step, sent);
      const outcome = world.outcomes[count] ?? "none";
      expect(outcome === "ok").toBe(status < 400);
      expect(knownOutcome(outcome)).toBe(outcome);
      const isRead = method === "POST" && step === "/decision" && type === FORM;
      const isOwn = (site ?? "same-origin") === "same-origin" && proof === "own" && before !== "nothing";
      expect(outcome === "forged_request").toBe(isRead && !isOwn);
      const rejections = world.lines.filter((line) => line.includes("decision rejected"));
      expect(rejections).toHaveLength(world.outcomes.filter((each) => each === "forged_request").length);
    }),
    { numRuns: 150 },
  );
});
