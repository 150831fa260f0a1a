import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "./gateway.ts";
import { type ClientInformation, Program, SDKS } from "./program.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

test.each(SDKS)("an SDK of the context protocol registers, signs in and refreshes: %s", async (_, sdk) => {
  const program = new Program();
  // A server of this protocol has a path, unlike its authorization server.
  const serverUrl = `${gateway.url}/mcp`;
  expect(await sdk.start(program, serverUrl)).toBe("REDIRECT");
  expect(await sdk.finish(program, serverUrl)).toBe("AUTHORIZED");
  const first = program.kept;
  expect(await gateway.echo(first?.access_token ?? "")).toBe(200);
  expect(await sdk.start(program, serverUrl)).toBe("AUTHORIZED");
  expect(program.kept?.refresh_token).not.toBe(first?.refresh_token);
  expect(await gateway.echo(program.kept?.access_token ?? "")).toBe(200);
  const last = program.kept?.access_token ?? "";
  await revoke(program);
  expect(await gateway.echo(last)).toBe(401);
  // Revoked tokens cannot be refreshed, so the person must sign in again.
  expect(await sdk.start(program, serverUrl)).toBe("REDIRECT");
});

/** Revokes a token. The SDKs have no function for revocation. */
async function revoke(program: Program): Promise<void> {
  const client: ClientInformation = program.clientInformation();
  const body = new URLSearchParams({ client_id: client.client_id, token: program.kept?.refresh_token ?? "" });
  const response = await fetch(`${gateway.url}/revoke`, { method: "POST", body });
  expect(response.status).toBe(200);
}
