/** Tests every combination of authorization request and client registration against the specifications. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Flow } from "../../authorization/src/interaction.ts";
import { hashOf } from "../../runtime/src/text/hash.ts";
import {
  type AuthorizedGateway,
  approve,
  startAuthorized,
  stubSignIn,
} from "../support/authorized-gateway.ts";
import { OAuthSteps, REDIRECT_URI } from "../support/oauth-steps.ts";

const SECRET = "secret of a test";
const SCOPES = ["echo", "talk"];
const ANY_RATE = { authorizationRequestsPerClient: 100_000, authorizationRequestsPerMinute: 100_000 };

/** Client registrations, by an id that describes them. */
const CODES = { grant_types: ["authorization_code"], response_types: ["code"] };
const MACHINES = { grant_types: ["client_credentials"], response_types: [] };
interface TestClient {
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly client_id: string;
  readonly scope?: string;
}

const CLIENTS: readonly TestClient[] = [
  { ...CODES, client_id: "codes-echo", scope: "echo" },
  { ...CODES, client_id: "codes-all", scope: "echo talk" },
  { ...CODES, client_id: "codes-any" },
  { ...MACHINES, client_id: "machine-echo", scope: "echo" },
  { ...MACHINES, client_id: "machine-all", scope: "echo talk" },
  { ...MACHINES, client_id: "machine-any" },
];
const CONFIGURED = CLIENTS.map((client) => ({
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: client.response_types.length > 0 ? "none" : "client_secret_basic",
  ...(client.response_types.length > 0 ? {} : { client_secret: hashOf(SECRET) }),
  ...client,
}));

let served: AuthorizedGateway;
let steps: OAuthSteps;
/** The flows that have begun. */
const flows: Flow[] = [];

beforeAll(async () => {
  const signIn = stubSignIn((each) => {
    flows.push(each);
    return approve(each);
  });
  served = await startAuthorized({ signIn, clients: CONFIGURED as never }, { limits: ANY_RATE });
  steps = new OAuthSteps(served);
});
afterAll(() => served.close());

/** Returns the parameters of a redirect to the client, in any response mode. */
function answerOf(end: URL | Response): URLSearchParams {
  if (!(end instanceof URL)) throw new Error(`a page with status ${end.status}`);
  expect(end.origin + end.pathname).toBe(REDIRECT_URI);
  return new URLSearchParams(end.hash === "" ? end.search : end.hash.slice(1));
}

const scopes = fc
  .uniqueArray(fc.constantFrom("openid", "offline_access", "profile", "echo", "talk", "mail"))
  .map((drawn) => drawn.join(" "));
/** Parameters of OpenID Connect, which an OAuth server ignores. */
const ofOpenId = fc.record(
  {
    nonce: fc.constant("n"),
    max_age: fc.constantFrom("0", "60"),
    acr_values: fc.constant("a"),
    id_token_hint: fc.constant("a.b.c"),
    claims_locales: fc.constant("en"),
    login_hint: fc.constant("ada"),
    display: fc.constant("page"),
  },
  { requiredKeys: [] },
);

/** Returns the scopes that a client should get; undefined for `invalid_scope`. */
function granted(registered: string | undefined, asked: string): readonly string[] | undefined {
  const may = SCOPES.filter((scope) => registered === undefined || registered.split(" ").includes(scope));
  const wants = asked.split(" ").filter((scope) => !["", "openid", "offline_access"].includes(scope));
  const given = wants.length === 0 ? may : may.filter((scope) => wants.includes(scope));
  return given.length === 0 ? undefined : given;
}

test("a client gets the requested scopes that it may have, or invalid_scope if none remain", async () => {
  const clients = fc.constantFrom(...CONFIGURED);
  const prompts = fc.constantFrom(undefined, "consent");
  await fc.assert(
    fc.asyncProperty(clients, scopes, prompts, ofOpenId, async (client, scope, prompt, others) => {
      const expected = granted(client.scope, scope);
      if (client.client_id.startsWith("machine")) {
        const basic = Buffer.from(`${client.client_id}:${encodeURIComponent(SECRET)}`).toString("base64");
        const form = { grant_type: "client_credentials", ...(scope === "" ? {} : { scope }) };
        const { body } = await steps.token(form, { authorization: `Basic ${basic}` });
        const { error, scope: given = "" } = body;
        expect(error ?? String(given).split(" ")).toEqual(expected ?? "invalid_scope");
        return;
      }
      const answer = answerOf(await steps.authorize(client.client_id, { scope, prompt, ...others }));
      if (expected === undefined) {
        expect(answer.get("error")).toBe("invalid_scope");
        return;
      }
      expect(flows.at(-1)?.scopes).toEqual(expected);
      const { body } = await steps.redeem(client.client_id, answer.get("code") ?? "");
      expect(String(body.scope).split(" ")).toEqual(expected);
    }),
    { numRuns: 120 },
  );
});

test.each(["echo  talk", " ", 'echo "', "echo\\", "ech\u00f6"])(
  "the malformed scope %j gets invalid_scope",
  async (scope) => {
    expect(answerOf(await steps.authorize("codes-all", { scope })).get("error")).toBe("invalid_scope");
  },
);

const TYPES = ["code", "code code", "token", "id_token", "code token", "none", "Code", "x", undefined];
const MODES = [undefined, "query", "fragment", "form_post", "x"];

/**
 * Returns the expected error of RFC 6749 section 4.1.2.1. An unsupported response mode is rejected with every
 * response type.
 */
function errorOf(client: string, type: string | undefined, mode: string | undefined): readonly string[] {
  const errors: string[] = [];
  if (mode !== undefined && mode !== "query") errors.push("unsupported_response_mode");
  if (type === undefined) return [...errors, "invalid_request"];
  if (!["code", "code code"].includes(type)) return [...errors, "unsupported_response_type"];
  if (client.startsWith("machine")) errors.push("unauthorized_client");
  return errors;
}

test.each(
  ["codes-all", "machine-all"].flatMap((client) =>
    TYPES.flatMap((type) => MODES.map((mode) => ({ client, type, mode }))),
  ),
)(
  "response type $type with mode $mode: the client $client gets a code or the expected error",
  async (given) => {
    const { client, type, mode } = given;
    const answer = answerOf(await steps.authorize(client, { response_type: type, response_mode: mode }));
    const expected = errorOf(client, type, mode);
    expect(answer.has("code")).toBe(expected.length === 0);
    if (expected.length > 0) expect(expected).toContain(answer.get("error"));
    const [outcome] = served.lines.filter(({ endpoint }) => endpoint === "authorize").slice(-1);
    expect(outcome?.outcome).toBe(answer.get("error") ?? "ok");
  },
);

const PROMPTS = ["login", "consent", "select_account", "none", "create", ""];
const prompts = PROMPTS.flatMap((one) => [one, ...PROMPTS.map((other) => `${one} ${other}`.trim())]);

/**
 * Returns the expected error of OpenID Connect Core section 3.1.2.1 for a person without an earlier session.
 */
function errorOfPrompt(prompt: string): string | undefined {
  const values = new Set(prompt.split(" ").filter((value) => value !== ""));
  if (values.has("create") || (values.has("none") && values.size > 1)) return "invalid_request";
  return values.has("none") ? "login_required" : undefined;
}

test.each([...new Set(prompts)])(
  "the prompt %j is followed, or rejected with the expected error",
  async (prompt) => {
    const before = flows.length;
    const answer = answerOf(await steps.authorize("codes-all", { prompt }));
    const error = errorOfPrompt(prompt);
    expect(answer.get("error") ?? undefined).toBe(error);
    const begun = flows.slice(before).map(({ asksConsent }) => asksConsent);
    expect(begun).toEqual(error === undefined ? [prompt.includes("consent")] : []);
  },
);
