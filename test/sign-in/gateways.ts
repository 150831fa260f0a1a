import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OAuth2TestProvider } from "../../authorization/src/testing/provider-server.ts";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { fetchBy, PUBLIC_URL } from "../support/authorized-gateway.ts";

const ADAPTER = path.resolve(import.meta.dirname, "../../gateway/src/testing/personal-echo-rest.ts");

/** A gateway in a separate process, with its public address. */
export interface GatewayProcess {
  readonly run: Run;
  readonly fetch: typeof fetch;
}

/** Gateways with the same configuration, whose users sign in at a test provider. */
export class Gateways {
  readonly directory = mkdtempSync(path.join(tmpdir(), "connect-rest-sign-in-"));
  readonly running: GatewayProcess[] = [];
  private readonly env: Record<string, string>;

  /** @param store the setting `authorization.store` */
  constructor(provider: OAuth2TestProvider, store: string, env: Record<string, string>) {
    this.env = { ...env, PARTY_SECRET: provider.settings.clientSecret?.reveal() ?? "" };
    const config = `
adapters: [${ADAPTER}]
upstreams:
  echo:
    baseUrl: ${provider.url}
    signIn:
      oauth2:
        authorizationEndpoint: ${provider.url}/authorize
        tokenEndpoint: ${provider.url}/token
        revocationEndpoint: ${provider.url}/revoke
        clientId: ${provider.settings.clientId}
        clientSecret: { env: PARTY_SECRET }
        scopes: [read]
      identity: { url: "${provider.url}/me", field: user.name }
server:
  hosts: [gateway.test, 127.0.0.1]
  proxies: { trusted: [127.0.0.1] }
  limits: { drainNoticeMs: 1 }
authorization:
  publicUrl: ${PUBLIC_URL}
  store: ${store}
  signIn: { keys: [{ env: SIGN_IN_KEY }] }
`;
    writeFileSync(path.join(this.directory, "connect-rest.yaml"), config);
  }

  async start(): Promise<GatewayProcess> {
    const run = runCli(["serve"], this.directory, this.env);
    const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
    const gateway = { run, fetch: fetchBy(url) };
    this.running.push(gateway);
    return gateway;
  }

  async stop(): Promise<void> {
    for (const { run } of this.running) {
      run.process.kill("SIGKILL");
      await run.exit;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/**
 * Returns a fetch function for browsers that sends requests for the gateway's public address to the gateway's
 * port.
 */
export function everywhere({ fetch: ofGateway }: GatewayProcess): typeof fetch {
  return (input, init) =>
    String(input).startsWith(PUBLIC_URL) ? ofGateway(input, init) : fetch(input, init);
}

/** Calls a method that requires a person. */
export async function callEcho(
  gateway: GatewayProcess,
  token: string,
): Promise<{ status: number; body: string }> {
  const response = await gateway.fetch(`${PUBLIC_URL}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: "{}",
  });
  return { status: response.status, body: await response.text() };
}
