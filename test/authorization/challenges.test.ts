/** Tests that every 401 has a challenge (RFC 6750 section 3), for every protocol, on both paths. */
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { startOAuth2Provider } from "../../authorization/src/testing/provider-server.ts";
import { providerSettings, signInSettings } from "../../authorization/src/testing/sign-in-world.ts";
import { startGateway } from "../../gateway/src/gateway.ts";
import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { EchoServiceRest } from "../../gateway/src/testing/echo-rest.ts";
import { PersonalEchoServiceRest } from "../../gateway/src/testing/personal-echo-rest.ts";
import { asProxy, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { Person, TestClient } from "../support/person.ts";

const VIA_PROXY = { interceptors: [asProxy] };
const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, ...VIA_PROXY, httpVersion: "1.1" })],
  [
    "Connect by GET",
    (baseUrl) => createConnectTransport({ baseUrl, ...VIA_PROXY, httpVersion: "1.1", useHttpGet: true }),
  ],
  ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, ...VIA_PROXY, httpVersion: "2" })],
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl, ...VIA_PROXY })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, ...VIA_PROXY, httpVersion: "1.1" })],
];
const CASES = TRANSPORTS.flatMap(([name, transport]) =>
  [true, false].map(
    (fastPath) => [name, fastPath ? "the fast path" : "connect's path", fastPath, transport] as const,
  ),
);

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  const error: unknown = await call.catch((cause: unknown) => cause);
  if (!(error instanceof ConnectError)) throw new Error(`no error, but ${JSON.stringify(error)}`);
  return error;
}

test.each(CASES)(
  "%s, %s: the first call or stream after an upstream session has ended gets a challenge",
  async (_, __, fastPath, transport) => {
    const provider = await startOAuth2Provider();
    const served = await startAuthorized(
      { scopes: [{ name: "echo", methods: ["*"] }] },
      {
        adapters: [PersonalEchoServiceRest],
        upstreams: { echo: { baseUrl: provider.url } },
        signIn: signInSettings([providerSettings("echo", provider)], { permissions: { echo: "echo" } }),
        fastPath,
      },
    );
    const everywhere: typeof fetch = (input, init) =>
      String(input).startsWith(PUBLIC_URL) ? served.fetch(input, init) : fetch(input, init);
    const tokens = await (await TestClient.register(PUBLIC_URL, served.fetch)).signIn(new Person(everywhere));
    const client = createClient(EchoService, transport(served.gateway.url));
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await client.echo({}, { headers })).text).toBe("demo");
    provider.forget();
    const error = await errorOf(client.echo({}, { headers }));
    expect([error.code, reasonOf(error)]).toEqual([Code.Unauthenticated, "SESSION_ENDED"]);
    const challenge = error.metadata.get("www-authenticate");
    expect(challenge).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+"$/,
    );
    await served.close();
    await provider.close();
  },
);

test.each(CASES)(
  "%s, %s: a call gets a challenge if the upstream rejects the caller's own credentials",
  async (_, __, fastPath, transport) => {
    const gateway = await startGateway({
      adapters: [EchoServiceRest],
      upstreams: { echo: { baseUrl: "https://api.example", credentials: () => ({ apiKey: "theirs" }) } },
      fetch: () => Promise.resolve({ status: 401, headers: [] }),
      limits: { drainNoticeMs: 1 },
      fastPath,
    });
    const error = await errorOf(createClient(EchoService, transport(gateway.url)).echo({}));
    expect(error.code).toBe(Code.Unauthenticated);
    expect(error.metadata.get("www-authenticate")).toBe('Bearer realm="connect-rest"');
    await gateway.close();
  },
);
