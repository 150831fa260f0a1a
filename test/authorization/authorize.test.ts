import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Flow } from "../../authorization/src/interaction.ts";
import { knownOutcome } from "../../authorization/src/server/outcomes.ts";
import { isOn, isRedirectUri, matchesRedirectUri } from "../../runtime/src/text/redirect-uri.ts";
import {
  type AuthorizedGateway,
  PUBLIC_URL,
  startAuthorized,
  stubSignIn,
  TestBrowser,
} from "../support/authorized-gateway.ts";
import { challengeOf, OAuthSteps, REDIRECT_URI, VERIFIER } from "../support/oauth-steps.ts";

let served: AuthorizedGateway;
let steps: OAuthSteps;
let clientId: string;
let flow: Flow | undefined;

beforeAll(async () => {
  const signIn = stubSignIn((each) => {
    flow = each;
    return each.client.name === "rejected"
      ? undefined
      : { subject: "demo:ada", sessionId: "s", scopes: each.scopes };
  });
  served = await startAuthorized({ signIn });
  steps = new OAuthSteps(served);
  clientId = await steps.publicClient();
});
afterAll(() => served.close());

test("a code is returned with the unchanged state and the issuer", async () => {
  for (const state of ["plain", "a b&c=d#e%0d%0a", "\r\nset-cookie: a=b", "ü€"]) {
    const end = await steps.authorize(clientId, { state });
    if (!(end instanceof URL)) throw new Error(await end.text());
    expect(end.searchParams.get("state")).toBe(state);
    expect(end.searchParams.get("iss")).toBe(PUBLIC_URL);
    expect([...end.searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
  }
  const without = await steps.authorize(clientId, { state: undefined });
  expect(without instanceof URL && without.searchParams.has("state")).toBe(false);
});

test("unencoded question marks in a query are part of the values", async () => {
  const uri = "https://app.example/callback?tenant=1";
  const { body } = await steps.register({ redirect_uris: [uri], token_endpoint_auth_method: "none" });
  const rest = `code_challenge=${challengeOf(VERIFIER)}&code_challenge_method=S256&response_type=code`;
  const query = `client_id=${String(body.client_id)}&state=what?or=not?&redirect_uri=${uri}&${rest}`;
  const end = await new TestBrowser(served.fetch).open(`${PUBLIC_URL}/authorize?${query}`);
  if (!(end instanceof URL)) throw new Error(await end.text());
  expect(end.href).toMatch(/^https:\/\/app\.example\/callback\?tenant=1&code=/);
  expect(end.searchParams.get("state")).toBe("what?or=not?");
});

test("the redirect URI keeps its query", async () => {
  const uri = "https://app.example/callback?tenant=1&x=%20";
  const { body } = await steps.register({ redirect_uris: [uri], token_endpoint_auth_method: "none" });
  const end = await steps.authorize(String(body.client_id), { redirect_uri: uri });
  expect(String(end)).toMatch(/^https:\/\/app\.example\/callback\?tenant=1&x=(?:%20|\+)&code=/);
});

test.each([
  ["another path", `${REDIRECT_URI}/more`],
  ["a path that browsers normalize to the same path", "http://127.0.0.1:4567/x/../callback"],
  ["a query", `${REDIRECT_URI}?a=b`],
  ["a fragment", `${REDIRECT_URI}#a`],
  ["another host", "http://127.0.0.2:4567/callback"],
  ["another name of this machine", "http://localhost:4567/callback"],
  ["another scheme", "https://127.0.0.1:4567/callback"],
  ["another case", "HTTP://127.0.0.1:4567/callback"],
  ["a user", "http://a@127.0.0.1:4567/callback"],
  ["a host after a user name", "http://127.0.0.1:4567@evil.example/callback"],
  ["a host after a backslash", "http://127.0.0.1:4567\\@evil.example/callback"],
  ["a port that is not a number", "http://127.0.0.1:x/callback"],
  ["a port above 65535", "http://127.0.0.1:65536/callback"],
  ["a script", "javascript:alert(1)"],
  ["no scheme", "//evil.example/callback"],
  ["a line break", `${REDIRECT_URI}\r\nlocation: https://evil.example`],
])("a redirect URI with %s is shown to the person instead of being followed", async (_, uri) => {
  const end = await steps.authorize(clientId, { redirect_uri: uri });
  if (end instanceof URL) throw new Error(end.href);
  expect(end.status).toBe(400);
  expect(end.headers.get("location")).toBeNull();
  expect(end.headers.get("content-type")).toContain("text/html");
});

test("a changed redirect URI does not match, except for the port of a loopback address", () => {
  fc.assert(
    fc.property(
      fc.nat(REDIRECT_URI.length),
      fc.string({ minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (at, text, cuts) => {
        const changed = REDIRECT_URI.slice(0, at) + text + REDIRECT_URI.slice(cuts ? at + 1 : at);
        const port = /^http:\/\/127\.0\.0\.1(?::(\d{1,5}))?\/callback$/.exec(changed);
        const same = port !== null && Number(port[1] ?? 0) <= 65_535;
        expect(matchesRedirectUri(changed, REDIRECT_URI)).toBe(same);
      },
    ),
    { numRuns: 500 },
  );
});

test("a redirect URI may have any port, but only on a loopback address", async () => {
  for (const port of [":1", ":65535", ""]) {
    expect(
      await steps.authorize(clientId, { redirect_uri: `http://127.0.0.1${port}/callback` }),
    ).toBeInstanceOf(URL);
  }
  expect(matchesRedirectUri("https://app.example:1/", "https://app.example/")).toBe(false);
});

test("no registered redirect URI can lead to an address of the gateway itself", () => {
  for (const own of [
    "http://127.0.0.1:8080",
    "http://localhost",
    "http://[::1]:9",
    "https://gateway.example",
  ]) {
    fc.assert(
      fc.property(fc.nat(65_535), fc.webPath(), fc.boolean(), (port, path, isSame) => {
        const registered = own.startsWith("http:")
          ? own.replace(/(?<!:):\d+$|$/, `:${port}`) + path
          : own + path;
        const asked = isSame ? registered : own + path;
        expect(matchesRedirectUri(asked, registered) && !isOn(own, asked)).toBe(
          new URL(asked).origin !== new URL(own).origin,
        );
      }),
      { numRuns: 100 },
    );
  }
});

test("a client with only one redirect URI may omit the redirect URI from the request", async () => {
  expect(await steps.authorize(clientId, { redirect_uri: undefined })).toBeInstanceOf(URL);
});

test.each([
  ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
  ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
  ["PKCE without a method", { code_challenge_method: undefined }, "invalid_request"],
  ["a challenge that is too short", { code_challenge: "short" }, "invalid_request"],
  ["another response mode", { response_mode: "form_post" }, "unsupported_response_mode"],
  ["no response type", { response_type: undefined }, "invalid_request"],
  ["unknown scopes alone", { scope: "mail calendar" }, "invalid_scope"],
  ["another server's resource", { resource: "https://other.example" }, "invalid_target"],
  ["a request object", { request: "a.b.c" }, "request_not_supported"],
  ["the prompt `none` before sign-in", { prompt: "none" }, "login_required"],
])("an authorization request with %s redirects to the client with an error", async (_, changes, error) => {
  const end = await steps.authorize(clientId, changes);
  if (!(end instanceof URL)) throw new Error(await end.text());
  expect(end.origin + end.pathname).toBe(REDIRECT_URI);
  expect(end.searchParams.get("error")).toBe(error);
  expect(end.searchParams.get("state")).toBe("state");
  expect(end.searchParams.get("iss")).toBe(PUBLIC_URL);
  expect(end.searchParams.has("code")).toBe(false);
});

test.each([
  ["scope", { scope: "made-up" }],
  ["PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
  ["response type", { response_type: "token" }],
  ["prompt", { prompt: "none" }],
  ["resource", { resource: "https://other.example" }],
  ["response mode", { response_mode: "form_post" }],
])(
  "a request whose %s is wrong gets a page that shows the address, instead of a redirect to an unknown site",
  async (_, changes) => {
    const uri = "https://evil.example/login?a=1";
    const { body } = await steps.register({ redirect_uris: [uri], token_endpoint_auth_method: "none" });
    const end = await steps.authorize(String(body.client_id), {
      redirect_uri: uri,
      state: '"><script>',
      ...changes,
    });
    if (end instanceof URL) throw new Error(end.href);
    expect(end.status).toBe(400);
    expect(end.headers.get("location")).toBeNull();
    expect(end.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const text = await end.text();
    expect(text).toContain("<code>evil.example</code>");
    expect(text).toMatch(/<a href="https:\/\/evil\.example\/login\?a=1[^"]*error=/);
    expect(text).not.toMatch(/<script|refresh/);
  },
);

test("errors redirect immediately to a configured client", async () => {
  const gateway = await startAuthorized({
    clients: [
      {
        client_id: "known",
        redirect_uris: ["https://app.example/cb"],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ] as never,
  });
  const end = await new OAuthSteps(gateway).authorize("known", {
    redirect_uri: "https://app.example/cb",
    prompt: "none",
  });
  expect(String(end)).toMatch(/^https:\/\/app\.example\/cb\?error=login_required/);
  await gateway.close();
});

test("a redirect URI is rejected if browsers would read it differently", () => {
  const parts = [
    "https://",
    "http://",
    "app.example",
    "127.0.0.1",
    "[::1]",
    "0x7f.1",
    "@",
    ":",
    "443",
    "/",
    ".",
  ];
  const more = [
    "..",
    "%2e",
    "%",
    "?",
    "a=b",
    "code",
    "=",
    "&",
    "#",
    "\\",
    " ",
    "\t",
    "ü",
    "\u3002",
    "'",
    "A",
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts, ...more), { maxLength: 9 }),
      fc.boolean(),
      (texts, isHttp) => {
        const address = `${isHttp ? "http://localhost" : "https://app.example"}${texts.join("")}`;
        for (const each of [address, texts.join("")]) {
          if (!isRedirectUri(each)) continue;
          const url = new URL(each);
          expect(each.toLowerCase()).toContain(url.hostname);
          expect(`${url.username}${url.password}${url.hash}`).toBe("");
          expect(each).toContain(url.pathname === "/" ? "" : url.pathname + url.search);
          expect(url.protocol === "https:" || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)).toBe(
            true,
          );
          expect(url.searchParams.has("code")).toBe(false);
          expect(each).toMatch(/^[!-~]+$/);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test("an address whose host is any of the gateway's names belongs to the gateway", () => {
  for (const [own, others] of [
    [
      "https://gateway.test",
      ["https://gateway.test./a", "https://GATEWAY.test:443/", "https://u@gateway.test/"],
    ],
    ["http://127.0.0.1:8080", ["http://localhost:8080/", "http://[::1]:8080/a?b"]],
  ] as const) {
    for (const other of others) expect(isOn(own, other), other).toBe(true);
    for (const other of ["https://gateway.test:8443/", "http://gateway.test/", "https://a.gateway.test/"]) {
      expect(isOn(own, other), other).toBe(false);
    }
  }
});

test("property: client-supplied values never become outcomes in metrics", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(["ok", "other", "invalid_request"]).toContain(knownOutcome(text));
    }),
    { examples: [["toString"], ["__proto__"], ["ok"], ["invalid_request"]] },
  );
});

test("the implicit grant is rejected", async () => {
  const end = await steps.authorize(clientId, { response_type: "token" });
  expect(end instanceof URL && new URLSearchParams(end.hash.slice(1)).get("error")).toBe(
    "unsupported_response_type",
  );
});

test.each(["client_id", "redirect_uri", "scope", "state", "code_challenge", "response_type"])(
  "a request with %s twice gets no code",
  async (name) => {
    const end = await steps.authorize(clientId, {}, `&${name}=a`);
    if (end instanceof URL) {
      expect(end.origin + end.pathname).toBe(REDIRECT_URI);
      expect(end.searchParams.get("error")).toBe("invalid_request");
    } else {
      expect(end.status).toBe(400);
    }
  },
);

test("scopes for other servers, offline_access, openid and the prompt consent are accepted and ignored", async () => {
  const end = await steps.authorize(clientId, {
    scope: "openid offline_access echo other",
    prompt: "consent",
  });
  expect(end).toBeInstanceOf(URL);
  expect(flow?.scopes).toEqual(["echo"]);
});

test("a request without scopes requests all scopes of the client", async () => {
  await steps.authorize(clientId, { scope: undefined });
  expect(flow?.scopes).toEqual(["echo", "talk"]);
});

test("a page tells the person that the client is unknown", async () => {
  const end = await steps.authorize("nobody");
  if (end instanceof URL) throw new Error(end.href);
  expect(end.status).toBe(400);
  expect(await end.text()).toContain("Sign-in failed");
});

test("the error page escapes markup from the request", async () => {
  const end = await steps.authorize('"><script>alert(1)</script>', { redirect_uri: "<b>" });
  if (end instanceof URL) throw new Error(end.href);
  expect(await end.text()).not.toMatch(/<script|<b>/);
});

test("if a person declines, the client gets the standard error", async () => {
  const metadata = {
    redirect_uris: [REDIRECT_URI],
    client_name: "rejected",
    token_endpoint_auth_method: "none",
  };
  const id = String((await steps.register(metadata)).body.client_id);
  const end = await steps.authorize(id);
  expect(end instanceof URL && end.searchParams.get("error")).toBe("access_denied");
});

test("sign-in receives the information that it shows to the person", async () => {
  await steps.authorize(clientId, { resource: `${PUBLIC_URL}/mcp` });
  expect(flow).toMatchObject({
    client: { id: clientId, isRegistered: true, redirectHost: "127.0.0.1:4567" },
    resource: PUBLIC_URL,
    path: expect.stringMatching(/^\/authorize\/i\/[\w-]{21,}$/),
    returnUrl: `${PUBLIC_URL}/authorize/i/return`,
  });
  expect(flow?.expiresAt).toBeGreaterThan(Date.now());
  expect(flow?.returnState).not.toContain(flow?.id);
});

test("a flow belongs to the browser that began it, and can be finished only once", async () => {
  const query = {
    client_id: clientId,
    response_type: "code",
    code_challenge: challengeOf("v"),
    code_challenge_method: "S256",
  };
  const start = `${PUBLIC_URL}/authorize?${new URLSearchParams(query)}`;
  const first = await served.fetch(start);
  const location = `${PUBLIC_URL}${first.headers.get("location")}`;
  for (const cookie of first.headers.getSetCookie()) {
    expect(cookie).toMatch(/httponly/i);
    expect(cookie).toMatch(/; secure/i);
    expect(cookie).toMatch(/samesite=lax/i);
    expect(cookie).toMatch(cookie.startsWith("__Host-") ? /path=\/;/ : /path=\/authorize\//i);
  }
  const other = new TestBrowser(served.fetch);
  const rejected = await other.open(location);
  expect(rejected instanceof Response && rejected.status).toBe(400);
  const cookies = first.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
  const own = () => served.fetch(location, { headers: { cookie: cookies } });
  const ended = await own();
  expect(ended.status).toBe(303);
  const resumed = await served.fetch(new URL(ended.headers.get("location") ?? "", PUBLIC_URL), {
    headers: { cookie: cookies },
  });
  expect(resumed.headers.get("location")).toContain("code=");
  expect((await own()).status).toBe(400);
});

test("all third parties return to one address, which continues the flow in the browser that started it", async () => {
  const paths: string[] = [];
  const gateway = await startAuthorized({
    signIn: {
      sessions: { isAlive: () => Promise.resolve(true), end: () => Promise.resolve() },
      interactions: {
        serve: (exchange, { returnState, path }) => {
          paths.push((exchange.request.url ?? "").replace(path, ""));
          exchange.send(200, { "x-state": returnState });
          return Promise.resolve(undefined);
        },
      },
    },
  });
  const own = new OAuthSteps(gateway);
  const id = await own.publicClient();
  const query = {
    client_id: id,
    response_type: "code",
    code_challenge: challengeOf("v"),
    code_challenge_method: "S256",
  };
  const browser = new TestBrowser(gateway.fetch);
  const page = await browser.open(`${PUBLIC_URL}/authorize?${new URLSearchParams(query)}`);
  const state = page instanceof Response ? (page.headers.get("x-state") ?? "") : "";
  await browser.open(`${PUBLIC_URL}/authorize/i/return?code=a%20b&state=${state}.more`);
  expect(paths).toEqual(["", `/return?code=a%20b&state=${state}.more`]);
  const bad = [
    `state=${state.slice(1)}`,
    "state=",
    "",
    `state=${state}&state=${state}`,
    `state=${"a".repeat(43)}`,
    `state=${state}%0d%0aset-cookie:a=b`,
  ];
  for (const each of bad) {
    const rejected = await browser.open(`${PUBLIC_URL}/authorize/i/return?code=a&${each}`);
    expect(rejected instanceof Response && rejected.status, each).toBe(400);
  }
  const elsewhere = await new TestBrowser(gateway.fetch).open(
    `${PUBLIC_URL}/authorize/i/return?code=a&state=${state}`,
  );
  expect(elsewhere instanceof Response && elsewhere.status).toBe(400);
  expect(paths).toHaveLength(2);
  await gateway.close();
});

test("an authorization request may be a form, which the browser then repeats as a query with its cookies", async () => {
  const form = {
    client_id: clientId,
    response_type: "code",
    code_challenge: challengeOf("v"),
    code_challenge_method: "S256",
    state: "what? & ü",
  };
  const cross = { origin: "https://app.example", "sec-fetch-site": "cross-site" };
  const answer = await steps.post("/authorize", form, cross);
  expect(answer.status).toBe(303);
  expect(answer.headers.getSetCookie()).toEqual([]);
  const location = answer.headers.get("location") ?? "";
  expect(location).toMatch(/^\/authorize\?client_id=/);
  const end = await new TestBrowser(served.fetch).open(PUBLIC_URL + location);
  expect(end instanceof URL && end.searchParams.get("state")).toBe(form.state);
  for (const state of ["a".repeat(9000), "ü".repeat(2000)]) {
    const large = await steps.post("/authorize", { ...form, state }, cross);
    expect([large.status, large.headers.get("location")]).toEqual([413, null]);
  }
});

test("another host of the domain cannot make a browser continue a flow that another person began", async () => {
  const opened: string[] = [];
  const gateway = await startAuthorized({
    signIn: {
      sessions: { isAlive: () => Promise.resolve(true), end: () => Promise.resolve() },
      interactions: {
        serve: async (exchange, flow) => {
          const { url = "" } = exchange.request;
          opened.push(url);
          if (!url.endsWith("/finish")) {
            exchange.send(200, { "x-state": flow.returnState });
          } else {
            await flow.finish({ subject: "demo:eve", sessionId: "s", scopes: flow.scopes });
          }
          return undefined;
        },
      },
    },
  });
  const query = {
    client_id: await new OAuthSteps(gateway).publicClient(),
    response_type: "code",
    code_challenge: challengeOf("v"),
    code_challenge_method: "S256",
  };
  const start = `${PUBLIC_URL}/authorize?${new URLSearchParams(query)}`;
  const [attacker, victim] = [new TestBrowser(gateway.fetch), new TestBrowser(gateway.fetch)];
  // The victim's browser has no flow yet, or already has one of the same gateway.
  for (const own of [false, true]) {
    if (own) await victim.open(start);
    const page = await attacker.open(start);
    const state = page instanceof Response ? page.headers.get("x-state") : "";
    const flow = opened.at(-1) ?? "";
    for (const path of ["/", "/authorize", flow, `${flow}/return`]) {
      for (const [name, { value }] of attacker.kept) victim.toss(name, value, path);
      for (const target of [
        flow,
        `${flow}/finish`,
        `/authorize/i/return?code=a&state=${state}`,
        flow.replace("/i/", "/"),
      ]) {
        const before = opened.length;
        const rejected = await victim.open(PUBLIC_URL + target);
        if (rejected instanceof URL) throw new Error(rejected.href);
        expect(rejected.status, target).toBe(400);
        expect(opened.length).toBe(before);
      }
    }
    // The browser that owns the flow can still continue it.
    const end = await attacker.open(`${PUBLIC_URL}${flow}/finish`);
    expect(end instanceof URL && end.searchParams.has("code")).toBe(true);
  }
  await gateway.close();
});

test("a browser gets one cookie for all flows and no other identifier, and only this host can set the cookie", async () => {
  const browser = new TestBrowser(served.fetch);
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    code_challenge: challengeOf("v"),
    code_challenge_method: "S256",
  });
  for (let i = 0; i < 5; i += 1) {
    expect(await browser.open(`${PUBLIC_URL}/authorize?${query}`)).toBeInstanceOf(URL);
  }
  const set = browser.responses
    .flatMap(({ headers }) => headers.getSetCookie())
    .filter((each) => each.includes("path=/;"));
  expect(set).toHaveLength(5);
  expect(new Set(set).size).toBe(1);
  expect(set[0]).toMatch(
    /^__Host-connect_rest_browser=[\w-]{43}; path=\/; max-age=600; httponly; samesite=lax; secure$/,
  );
  const value = browser.kept.get("__Host-connect_rest_browser")?.value ?? "";
  for (const bad of ["", "a", `${value}a`, `${value.slice(1)}=`, "a".repeat(5000)]) {
    const cookie = `__Host-connect_rest_browser=${bad}`;
    const answer = await served.fetch(`${PUBLIC_URL}/authorize?${query}`, { headers: { cookie } });
    const [given] = answer.headers.getSetCookie().filter((each) => each.startsWith("__Host-"));
    expect(given?.split(";", 1)[0], bad).not.toBe(cookie);
  }
});

test("other sites may link to sign-in, but not submit its forms", async () => {
  const cross = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const path = "/authorize/i/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  expect((await steps.post(path, { yes: "1" }, cross)).status).toBe(403);
  expect((await steps.request(path, { headers: cross })).status).toBe(400);
});
