import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "./gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as V1 } from "./gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as V1Alpha } from "./gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { type Server, startServer } from "./server.ts";
import { echoService } from "./testing/echo.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({
    ...echoService,
    console: false,
    reflection: false,
    limits: { drainNoticeMs: 1 },
  });
});
afterAll(() => server.close());

const transport = () => createGrpcTransport({ baseUrl: server.url });

test.each([V1, V1Alpha])("without reflection, $typeName is unimplemented", async (service) => {
  const client = createClient(service as typeof V1, transport());
  async function* requests() {
    yield { host: "", messageRequest: { case: "listServices" as const, value: "" } };
  }
  const ask = async () => {
    for await (const _ of client.serverReflectionInfo(requests())) expect.unreachable();
  };
  await expect(ask()).rejects.toMatchObject({ code: Code.Unimplemented });
});

test("without reflection, calls and health checks by name work, and no response lists services", async () => {
  const echo = await createClient(EchoService, transport()).echo({ text: "a" });
  expect(echo.text).toBe("a");
  const health = createClient(Health, transport());
  expect((await health.check({ service: "echo.v1.EchoService" })).status).toBe(Status.SERVING);
  expect(Object.keys((await health.list({})).statuses)).toEqual([""]);
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  for (const path of ["/echo.v1.EchoService/Ecko", "/echo.v1.EchoServic/Echo", "/echo", "/a.b.C/D", "/x?y"]) {
    for (const init of [post, {}]) {
      const response = await fetch(server.url + path, init);
      const text = await response.text();
      expect(response.status).toBe(404);
      expect(text).toContain(`nothing is served at \\"${path.split("?")[0]}\\"`);
      expect(text).not.toMatch(/EchoService\b(?!\/Ecko)|grpc\./);
    }
  }
});

test("without the console, the health pages are served", async () => {
  expect((await fetch(`${server.url}/`)).status).toBe(404);
  expect(await (await fetch(`${server.url}/healthz`)).text()).toBe("alive\n");
  expect(await (await fetch(`${server.url}/readyz`)).text()).toBe("ready\n");
});
