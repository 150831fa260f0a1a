import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Code, createClient } from "@connectrpc/connect";
import { reasonOf } from "connect-rest";
import { expect, test } from "vitest";
import { createRest } from "../../runtime/src/rest.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { httpUpstream } from "../../runtime/src/testing/servers.ts";
import { ClusterService } from "../gen/world/v1/cluster_pb.ts";
import { ClusterServiceRest } from "../gen/world/v1/cluster_rest.ts";
import { start } from "../rules/world.ts";

const upstream = { credentials: { oauth2: { accessToken: "token" } } };

const lines = (...pieces: readonly string[]) =>
  start(
    ClusterService,
    ClusterServiceRest,
    {
      headers: { "content-type": "application/json" },
      write: (response) => {
        for (const piece of pieces) response.write(piece);
        response.end();
      },
    },
    { upstream },
  );

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const message of messages) found.push(message);
  return found;
}

const ADDED = '{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}';
const DELETED = '{"type":"DELETED","object":{"metadata":{"name":"ä","resourceVersion":"2"}}}';

test("each line is a message, wherever the body is cut; empty lines keep the connection alive", async () => {
  const bytes = `${ADDED}\n\n\r\n${DELETED}\r\n`;
  for (const pieces of [[bytes], [...bytes], [bytes.slice(0, 90), bytes.slice(90)]]) {
    const { client, seen, differences } = await lines(...pieces);
    const found = await all(client.watchPods({ namespace: "n", resourceVersion: "0" }));
    expect(found.map(({ change }) => [change.case, change.value?.metadata?.name])).toEqual([
      ["added", "a"],
      ["deleted", "ä"],
    ]);
    expect(seen.map(({ line }) => line)).toEqual(["GET /api/v1/namespaces/n/pods?watch=1&resourceVersion=0"]);
    expect(differences).toEqual([]);
  }
});

test("the last line needs no end; half a line is an error", async () => {
  const whole = await lines(`${ADDED}\n${DELETED}`);
  expect(await all(whole.client.watchPods({ namespace: "n" }))).toHaveLength(2);
  const half = await lines(`${ADDED}\n${DELETED.slice(0, -3)}`);
  const error = await failureOf(all(half.client.watchPods({ namespace: "n" })));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TRUNCATED"]);
});

test("a line that is an error ends the stream with it", async () => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  const { client } = await lines(`${ADDED}\n${JSON.stringify({ type: "ERROR", object: status })}\n`);
  const error = await failureOf(all(client.watchPods({ namespace: "n" })));
  expect([error.code, reasonOf(error)]).toEqual([Code.OutOfRange, "VERSION_EXPIRED"]);
});

test("a line that is no object is lost, which strict mode refuses", async () => {
  const { client, differences } = await lines(`7\n${ADDED}\n`);
  await expect(all(client.watchPods({ namespace: "n" }))).rejects.toThrow("[0]: expected object, got number");
  expect(differences).toEqual([{ path: "[0]", expected: "object", got: "number 7", class: "lost" }]);
});

test("a page of HTML is an error, and no empty stream", async () => {
  const { client } = await lines("<html>\n</html>\n");
  const error = await failureOf(all(client.watchPods({ namespace: "n" })));
  expect(reasonOf(error)).toBe("UPSTREAM_BODY_NOT_JSON");
});

test("a watch, which has no end of its own, ends when all is closed", async () => {
  const started = Promise.withResolvers<ServerResponse>();
  await using server = await httpUpstream((_request, response) => {
    response.write(`${ADDED}\n`);
    started.resolve(response);
  });
  const rest = createRest({
    adapters: [ClusterServiceRest],
    upstreams: { cluster: { baseUrl: server.url, ...upstream } },
  });
  const watch = createClient(ClusterService, rest.transport)
    .watchPods({ namespace: "n" })
    [Symbol.asyncIterator]();
  await watch.next();
  const ended = failureOf(watch.next());
  const closed = once(await started.promise, "close");
  await rest.close();
  expect(reasonOf(await ended)).toBe("UPSTREAM_CLOSED");
  await closed;
});
