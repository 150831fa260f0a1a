import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import { restRoutes } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { createRest } from "../../runtime/src/rest.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { httpUpstream } from "../../runtime/src/testing/servers.ts";
import { AssistantService } from "../gen/world/v1/assistant_pb.ts";
import { AssistantServiceRest } from "../gen/world/v1/assistant_rest.ts";

test("events reach a gRPC client one by one, and cancelling ends the upstream's response", async () => {
  const asked = Promise.withResolvers<import("node:http").ServerResponse>();
  await using upstream = await httpUpstream((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    asked.resolve(response);
  });
  const rest = createRest({
    adapters: [AssistantServiceRest],
    upstreams: { assistant: { baseUrl: upstream.url, credentials: { apiKey: "k" } } },
  });
  const server = createServer(connectNodeAdapter({ routes: restRoutes(rest) }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient(AssistantService, createGrpcTransport({ baseUrl }));
  const left = new AbortController();
  const run = client.watchRun({ runId: "1" }, { signal: left.signal })[Symbol.asyncIterator]();
  const first = run.next();
  const response = await asked.promise;
  response.write("event: note\ndata: one\n\n");
  expect((await first).value?.change.value).toBe("one");
  const second = failureOf(run.next());
  const closed = once(response, "close");
  left.abort();
  expect((await second).code).toBe(Code.Canceled);
  await closed;
  await rest.close();
  server.close();
});
