import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RawCall, rawClient } from "../../gateway/src/testing/raw-call.ts";
import { hashOf } from "../../runtime/src/text/hash.ts";
import {
  type AuthorizedGateway,
  FORWARDED,
  PUBLIC_URL,
  startAuthorized,
  stubSignIn,
} from "../support/authorized-gateway.ts";
import { OAuthSteps, REDIRECT_URI, VERIFIER } from "../support/oauth-steps.ts";

const WELL_KNOWN = "/.well-known/oauth-authorization-server";
let served: AuthorizedGateway;
let steps: OAuthSteps;
beforeAll(async () => {
  served = await startAuthorized();
  steps = new OAuthSteps(served);
});
afterAll(() => served.close());

const METADATA = {
  issuer: PUBLIC_URL,
  authorization_endpoint: `${PUBLIC_URL}/authorize`,
  token_endpoint: `${PUBLIC_URL}/token`,
  registration_endpoint: `${PUBLIC_URL}/register`,
  revocation_endpoint: `${PUBLIC_URL}/revoke`,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: [
    "none",
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
  ],
  scopes_supported: ["echo", "talk"],
  authorization_response_iss_parameter_supported: true,
};

test("the metadata is at the root of the origin, with and without MCP-Protocol-Version", async () => {
  for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
    const { status, body, headers: sent } = await steps.request(WELL_KNOWN, { headers });
    expect(status).toBe(200);
    expect(sent.get("content-type")).toBe("application/json");
    expect(body).toMatchObject(METADATA);
    // All listed endpoints must exist.
    const known = [...Object.keys(METADATA), "token_endpoint_auth_signing_alg_values_supported"];
    const revocation = ["methods", "signing_alg_values"].map(
      (what) => `revocation_endpoint_auth_${what}_supported`,
    );
    expect(Object.keys(body).sort()).toEqual([...known, ...revocation].sort());
  }
});

test("addresses in metadata, redirects and challenges are never taken from a request", async () => {
  const { port } = served.gateway;
  const ask = (path: string, method = "GET") =>
    new Promise<string>((resolve, reject) => {
      const headers = {
        host: "127.0.0.1:1",
        "x-forwarded-for": "1.2.3.4",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "gateway.test",
      };
      request({ port, path, method, headers, host: "127.0.0.1" }, (response) => {
        const chunks: Uint8Array[] = [];
        response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        response.on("end", () =>
          resolve(JSON.stringify(response.headers) + Buffer.concat(chunks).toString()),
        );
      })
        .on("error", reject)
        .end();
    });
  const clientId = await steps.publicClient();
  const query = `client_id=${clientId}&response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%3A4567%2Fcallback&code_challenge=${"a".repeat(43)}&code_challenge_method=S256`;
  const paths = [
    WELL_KNOWN,
    "/.well-known/oauth-protected-resource",
    `/authorize?${query}`,
    "/echo.v1.EchoService/Echo",
  ];
  for (const path of paths) expect(await ask(path), path).not.toContain("127.0.0.1:1");
});

test.each(["evil.example", "gateway.test.evil.example", "gateway.test:1@evil.example", "["])(
  "a request for the host %s is rejected before it reaches an endpoint",
  async (host) => {
    const { port } = served.gateway;
    const status = await new Promise((resolve) => {
      request({ port, path: WELL_KNOWN, headers: { host }, host: "127.0.0.1" }, (response) => {
        resolve(response.resume().statusCode);
      }).end();
    });
    expect([400, 421]).toContain(status);
  },
);

test.each([
  "/.well-known/openid-configuration",
  `${WELL_KNOWN}/mcp`,
  `${WELL_KNOWN}/`,
  "/.well-known/anything",
])("%s gets 404, so that clients use their fallback", async (path) => {
  expect((await steps.request(path)).status).toBe(404);
});

test("protected resource metadata is at the root, and has a separate address for each path that a client uses as resource", async () => {
  for (const path of ["", "/mcp", "/a/b"]) {
    const { status, body } = await steps.request(`/.well-known/oauth-protected-resource${path}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      resource: PUBLIC_URL + path,
      authorization_servers: [PUBLIC_URL],
      scopes_supported: ["echo", "talk"],
      bearer_methods_supported: ["header"],
    });
  }
});

test("pages of any origin may read metadata and call token, register and revoke, but no other endpoint", async () => {
  const origin = "https://page.example";
  const shared = { [WELL_KNOWN]: "GET", "/token": "POST", "/register": "POST", "/revoke": "POST" };
  for (const [path, method] of Object.entries(shared)) {
    const preflight = {
      "access-control-request-method": method,
      "access-control-request-headers": "authorization",
    };
    const allowed = await steps.request(path, { method: "OPTIONS", headers: { origin, ...preflight } });
    expect(allowed.status, path).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("*");
    expect(allowed.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(allowed.headers.get("access-control-allow-methods")).toContain(method);
    expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
    const headers = {
      origin,
      "sec-fetch-site": "cross-site",
      "content-type": "application/x-www-form-urlencoded",
    };
    const real = await steps.request(path, {
      method,
      headers,
      ...(method === "POST" ? { body: "a=b" } : {}),
    });
    expect([200, 400, 401], path).toContain(real.status);
    expect(real.headers.get("access-control-allow-origin")).toBe("*");
  }
  const page = await steps.request("/authorize?x", { headers: { origin } });
  expect(page.headers.get("access-control-allow-origin")).toBeNull();
});

test("an unsupported method at an endpoint gets 405 with the supported methods", async () => {
  for (const [path, method, allow] of [
    [WELL_KNOWN, "POST", "GET, HEAD"],
    ["/token", "GET", "POST"],
    ["/register", "PUT", "POST"],
    ["/revoke", "DELETE", "POST"],
    ["/authorize", "PUT", "GET, POST"],
  ] as const) {
    const { status, headers } = await steps.request(path, { method });
    expect(status, path).toBe(405);
    expect(headers.get("allow")).toBe(allow);
  }
});

const CALLS = [
  { type: "application/json", status: 400 },
  // These formats carry the status in the body.
  { type: "application/connect+json", status: 200 },
  { type: "application/grpc", status: 200 },
  { type: "application/grpc-web+proto", status: 200 },
] as const;
const ENDPOINTS = [
  ...[WELL_KNOWN, "/.well-known/oauth-protected-resource", "/authorize?a=b", "/authorize/i/a", "/"],
  ...["/token", "/register", "/revoke"],
];

test("no endpoint is served over http if the public URL uses https", async () => {
  for (const path of ENDPOINTS) {
    const method = ["/token", "/register", "/revoke"].includes(path) ? "POST" : "GET";
    const response = await fetch(served.gateway.url + path, { method });
    expect(response.status, path).toBe(400);
    expect(await response.text()).toContain("https");
    expect(response.headers.get("strict-transport-security")).toBeNull();
  }
});

test("if the public URL uses https, calls over http are rejected for every protocol, except health checks", async () => {
  const clientId = await steps.publicClient();
  const { body } = await steps.redeem(clientId, await steps.code(clientId));
  const headers = { authorization: `Bearer ${String(body.access_token)}` };
  const client = rawClient(served.gateway.port);
  for (const version of ["1.1", "2"] as const) {
    const send = (path: string, type: string, others: RawCall["headers"]) =>
      client.send({
        version,
        method: "POST",
        path,
        headers: {
          ...(version === "2" && { ":authority": "gateway.test" }),
          "content-type": type,
          ...headers,
          ...others,
        },
        body: Buffer.from("{}"),
      });
    for (const { type, status } of CALLS) {
      for (const path of ["/echo.v1.EchoService/Echo", "/echo.v1.EchoService/Repeat", "/unknown.v1.A/B"]) {
        const rejected = await send(path, type, {});
        const text = `${rejected.body} ${decodeURIComponent(String(rejected.headers["grpc-message"]))}`;
        expect(text, `${type} ${path}`).toContain("https alone");
        expect(rejected.status).toBe(status);
        expect(rejected.headers["strict-transport-security"]).toBeUndefined();
        const secure = await send(path, type, FORWARDED);
        expect(JSON.stringify(secure.headers), `${type} ${path}`).not.toContain("https alone");
        expect(secure.headers["strict-transport-security"]).toBe("max-age=31536000");
      }
    }
    const health = await send("/grpc.health.v1.Health/Check", "application/json", {});
    expect(health.status).toBe(200);
  }
  client.close();
});

test("all responses over https, and no others, have the Strict-Transport-Security header", async () => {
  for (const path of [...ENDPOINTS, "/healthz", "/unknown"]) {
    const { headers } = await steps.request(path);
    expect(headers.get("strict-transport-security"), path).toBe("max-age=31536000");
  }
  const local = await startAuthorized({ publicUrl: "http://127.0.0.1:1" });
  const { headers } = await new OAuthSteps(local).request(WELL_KNOWN);
  expect(headers.get("strict-transport-security")).toBeNull();
  await local.close();
});

test("responses of OAuth endpoints forbid caching, framing and sniffing", async () => {
  for (const path of [WELL_KNOWN, "/authorize?client_id=none", "/token"]) {
    const { headers } = await steps.request(path, { method: path === "/token" ? "POST" : "GET" });
    expect(headers.get("cache-control"), path).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  const page = await steps.request("/authorize?client_id=none");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});

test("the metadata of a gateway without sign-in lists only the client_credentials grant", async () => {
  const closed = await startAuthorized({
    signIn: undefined,
    registration: undefined,
    clients: [clientOf(["client_credentials"])] as never,
  });
  const own = new OAuthSteps(closed);
  const { body } = await own.request(WELL_KNOWN);
  expect(body.grant_types_supported).toEqual(["client_credentials"]);
  expect(body.registration_endpoint).toBeUndefined();
  expect((await own.request("/authorize?client_id=a")).status).toBe(400);
  expect(await own.register({})).toMatchObject({ status: 404, body: { error: "invalid_request" } });
  await closed.close();
});

const SECRET = "secret of a test";
const GRANTS = ["authorization_code", "refresh_token", "client_credentials"];

/** Returns a configured client with these grants. */
function clientOf(grants: readonly string[]) {
  const isPublic = !grants.includes("client_credentials");
  return {
    client_id: grants.join("-"),
    grant_types: grants,
    response_types: grants.includes("authorization_code") ? ["code"] : [],
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: isPublic ? "none" : "client_secret_basic",
    ...(isPublic ? {} : { client_secret: hashOf(SECRET) }),
  };
}

/** Returns the grants with which a client obtains tokens. */
async function obtained(own: OAuthSteps, id: string, secret: string | undefined): Promise<string[]> {
  const basic = `Basic ${Buffer.from(`${id}:${encodeURIComponent(secret ?? "")}`).toString("base64")}`;
  const send = (form: Record<string, string>) =>
    secret === undefined ? own.token({ ...form, client_id: id }) : own.token(form, { authorization: basic });
  const got: string[] = [];
  if ((await send({ grant_type: "client_credentials" })).status === 200) got.push("client_credentials");
  const end = await own.authorize(id);
  const code = end instanceof URL ? end.searchParams.get("code") : null;
  if (code === null) return got;
  const { body } = await send({ grant_type: "authorization_code", code, code_verifier: VERIFIER });
  got.push("authorization_code");
  const refreshed = await send({ grant_type: "refresh_token", refresh_token: String(body.refresh_token) });
  if (refreshed.status === 200) got.push("refresh_token");
  return got;
}

const CLIENT_GRANTS = [
  ["authorization_code"],
  ["authorization_code", "refresh_token"],
  ["client_credentials"],
  ["authorization_code", "refresh_token", "client_credentials"],
];
const CONFIGURATIONS = [undefined, ...CLIENT_GRANTS].flatMap((registered) =>
  [[], ...CLIENT_GRANTS.map((grants) => [grants]), CLIENT_GRANTS].flatMap((configured) =>
    [true, false].map((signsIn) => ({ registered, configured, signsIn })),
  ),
);

test.each(CONFIGURATIONS)(
  "metadata lists exactly the grants and endpoints that a client can use: registration $registered, clients $configured, sign-in $signsIn",
  async ({ registered, configured, signsIn }) => {
    const registration = registered && {
      initialAccessToken: undefined,
      redirectHosts: undefined,
      grants: registered,
      scopes: undefined,
    };
    const gateway = await startAuthorized({
      clients: configured.map(clientOf) as never,
      registration,
      signIn: signsIn ? stubSignIn() : undefined,
    });
    const own = new OAuthSteps(gateway);
    const { body } = await own.request(WELL_KNOWN);
    const got = new Set<string>();
    for (const grants of configured) {
      const { client_id: id, client_secret: secret } = { client_secret: undefined, ...clientOf(grants) };
      for (const each of await obtained(own, id, secret && SECRET)) got.add(each);
    }
    let byRegistration: string[] = [];
    if (registered !== undefined) {
      const { client_secret: _, ...metadata } = { client_secret: undefined, ...clientOf(registered) };
      const { body: client } = await own.register(metadata);
      const secret = client.client_secret === undefined ? undefined : String(client.client_secret);
      byRegistration = await obtained(own, String(client.client_id), secret);
      for (const each of byRegistration) got.add(each);
    }
    const usesCodes = got.has("authorization_code");
    expect(body.grant_types_supported).toEqual(GRANTS.filter((grant) => got.has(grant)));
    expect(body.response_types_supported).toEqual(usesCodes ? ["code"] : []);
    expect(body.response_modes_supported).toEqual(usesCodes ? ["query"] : undefined);
    expect(body.code_challenge_methods_supported).toEqual(usesCodes ? ["S256"] : undefined);
    expect(body.authorization_endpoint !== undefined).toBe(usesCodes);
    expect(body.registration_endpoint !== undefined).toBe(byRegistration.length > 0);
    await gateway.close();
  },
);
