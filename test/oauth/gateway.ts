import { closedPort } from "../../runtime/src/testing/servers.ts";
import { type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";

/** A gateway that authorizes its callers, at an address of this machine; everybody who signs in consents. */
export interface TestGateway {
  readonly url: string;
  /** The status of a call with a token. */
  readonly echo: (token: string) => Promise<number>;
  close(): Promise<void>;
}

/** Starts one. Its address stands in its metadata, so that the port has to be known before. */
export async function startTestGateway(): Promise<TestGateway> {
  const url = await closedPort();
  const started: AuthorizedGateway = await startAuthorized(
    { publicUrl: url },
    { port: Number(new URL(url).port), proxies: undefined, hosts: undefined },
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
