/** Calls the tools of all APIs with the tokens that the SDKs get. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Sandbox, startSandbox } from "connect-rest-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { upstreamsOf } from "../end-to-end/world.ts";
import { allAdapters, callEveryTool } from "../mcp/world.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";
import { Program, SDKS } from "./program.ts";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0 });
  gateway = await startTestGateway(
    {
      adapters: await allAdapters(),
      upstreams: upstreamsOf(sandbox),
      mcp: { maxTools: 1000, maxStreamSeconds: 1 },
    },
    {
      scopes: ["blog", "user", "community", "events"].map((name) => ({ name, methods: [`${name}.v1.*`] })),
    },
  );
});
afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});

test.each(SDKS)(
  "an SDK signs in, and calls every read-only tool, whose results fit their schemas: %s",
  async (_, sdk) => {
    const program = new Program();
    const serverUrl = `${gateway.url}/mcp`;
    expect(await sdk.start(program, serverUrl)).toBe("REDIRECT");
    expect(await sdk.finish(program, serverUrl)).toBe("AUTHORIZED");
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${program.kept?.access_token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { requestInit }));
    const names = await callEveryTool(client);
    await client.close();
    expect(names.length).toBeGreaterThan(40);
  },
);
