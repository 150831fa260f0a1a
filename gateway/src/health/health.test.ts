import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../gen/grpc/health/v1/health_pb.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService, limits: { drainNoticeMs: 1 } });
});
afterAll(() => server.close());

const client = () => createClient(Health, createGrpcTransport({ baseUrl: server.url }));

test("Check returns SERVING for the gateway and for each service", async () => {
  for (const service of ["", "echo.v1.EchoService", "grpc.health.v1.Health"]) {
    expect((await client().check({ service })).status).toBe(Status.SERVING);
  }
});

test("Check fails for a service that is not served", async () => {
  await expect(client().check({ service: "no.Service" })).rejects.toMatchObject({
    code: Code.NotFound,
    rawMessage: 'no service "no.Service" is served here',
  });
});

test("List returns the gateway and all services", async () => {
  const { statuses } = await client().list({});
  expect(Object.keys(statuses).sort()).toEqual([
    "",
    "echo.v1.EchoService",
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
  ]);
});

test("Watch sends SERVICE_UNKNOWN for an unknown service, and stays open", async () => {
  const abort = new AbortController();
  const seen: Status[] = [];
  const watch = async () => {
    for await (const { status } of client().watch({ service: "no.Service" }, { signal: abort.signal })) {
      seen.push(status);
      abort.abort();
    }
  };
  await expect(watch()).rejects.toMatchObject({ code: Code.Canceled });
  expect(seen).toEqual([Status.SERVICE_UNKNOWN]);
});
