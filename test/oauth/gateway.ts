import type { CallerAuthorizationOptions } from "../../gateway/src/authorization/caller-authorization.ts";
import type { GatewayOptions } from "../../gateway/src/gateway.ts";
import { closedPort } from "../../runtime/src/testing/servers.ts";
import { type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";

/** A gateway on the loopback address that authorizes its callers. Every person who signs in consents. */
export interface TestGateway {
  readonly url: string;
  /** Returns the status of a call with a token. */
  readonly echo: (token: string) => Promise<number>;
  close(): Promise<void>;
}

/** Starts a gateway. Its metadata contains its address, so the port must be known in advance. */
export async function startTestGateway(
  options: Partial<GatewayOptions> = {},
  authorization: Partial<CallerAuthorizationOptions> = {},
): Promise<TestGateway> {
  const url = await closedPort();
  const started: AuthorizedGateway = await startAuthorized(
    { publicUrl: url, ...authorization },
    { port: Number(new URL(url).port), proxies: undefined, hosts: undefined, ...options },
  );
  const echo = async (token: string) => {
    const response = await fetch(`${url}/echo.v1.EchoService/Echo`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: '{"text":"hello"}',
    });
    await response.arrayBuffer();
    return response.status;
  };
  return { url, echo, close: () => started.close() };
}
