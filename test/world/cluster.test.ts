import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Code, createClient } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
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

test("each line is a message however the body is chunked, and empty lines keep the connection open", async () => {
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

test("the last line needs no line end, but half a line is an error", async () => {
  const whole = await lines(`${ADDED}\n${DELETED}`);
  expect(await all(whole.client.watchPods({ namespace: "n" }))).toHaveLength(2);
  const half = await lines(`${ADDED}\n${DELETED.slice(0, -3)}`);
  const error = await failureOf(all(half.client.watchPods({ namespace: "n" })));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TRUNCATED"]);
});

const POD = (name: string) => `{"type":"ADDED","object":{"metadata":{"name":"${name}"}}}`;

test.each([
  ["a byte order mark", `\ufeff${POD("a")}\n${POD("b")}\n`],
  ["empty lines and lines of spaces", `\n \t\r\n${POD("a")}\r\n\r\n  ${POD("b")}  \n\n`],
  ["comments", `: connected\n${POD("a")}\n:\n# still here\r\n// and here\n${POD("b")}\n:`],
  ["record separators in front of lines", `\u001e${POD("a")}\n\u001e${POD("b")}\n`],
])("lines with %s are read as messages", async (_name, body) => {
  for (const pieces of [[body], [...body]]) {
    const { client, differences } = await lines(...pieces);
    const found = await all(client.watchPods({ namespace: "n" }));
    expect(found.map(({ change }) => change.value?.metadata?.name)).toEqual(["a", "b"]);
    expect(differences).toEqual([]);
  }
});

/** Returns a response of lines with another Content-Type. */
const typed = (type: string, body: string) =>
  start(ClusterService, ClusterServiceRest, { headers: { "content-type": type }, body }, { upstream });

test("a JSON text sequence may contain multi-line texts, and an unfinished text is reported as truncated", async () => {
  const pretty = JSON.stringify(JSON.parse(POD("a")), undefined, 2);
  const body = `\u001e${pretty}\n\u001e\u001e${POD("b")}\n`;
  const { client } = await typed("application/json-seq", body);
  const found = await all(client.watchPods({ namespace: "n" }));
  expect(found.map(({ change }) => change.value?.metadata?.name)).toEqual(["a", "b"]);
  const cut = await typed("application/json-seq", body.slice(0, -10));
  expect(reasonOf(await failureOf(all(cut.client.watchPods({ namespace: "n" }))))).toBe("UPSTREAM_TRUNCATED");
});

test.each([
  ["[", "an array, which `records: {format: ARRAY}` reads"],
  ["[\n", "an array, which `records: {format: ARRAY}` reads"],
  [`\ufeff[\n  ${POD("a")},\n]\n`, "an array, which `records: {format: ARRAY}` reads"],
  [`[${POD("a")}]\n`, "an array, which `records: {format: ARRAY}` reads"],
  ["[]", "an array, which `records: {format: ARRAY}` reads"],
  [`: hi\n\ndata: ${POD("a")}\n\n`, "a server-sent event, which `records: {format: EVENT_STREAM}` reads"],
  ["event: a\ndata: {}\n\n", "a server-sent event, which `records: {format: EVENT_STREAM}` reads"],
])("the error for %j names the content, and the format that reads it", async (body, got) => {
  const { client } = await lines(body);
  const error = await failureOf(all(client.watchPods({ namespace: "n" })));
  expect(reasonOf(error)).toBe("UPSTREAM_BODY_NOT_LINES");
  expect(error.rawMessage).toBe(
    `upstream cluster: expected a JSON object on each line with status 200, got ${got}`,
  );
});

test("a page that consists of comments is an error, but a stream that consists of comments is empty", async () => {
  const page = await typed("text/markdown", "# Not found\n\n// nothing\n");
  const error = await failureOf(all(page.client.watchPods({ namespace: "n" })));
  expect(error.rawMessage).toBe(
    "upstream cluster: expected JSON with status 200, got nothing but comments (text/markdown)",
  );
  const stream = await typed("application/x-ndjson", ": connected\n:\n");
  expect(await all(stream.client.watchPods({ namespace: "n" }))).toEqual([]);
});

test("an error line ends the stream with that error", async () => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  const { client } = await lines(`${ADDED}\n${JSON.stringify({ type: "ERROR", object: status })}\n`);
  const error = await failureOf(all(client.watchPods({ namespace: "n" })));
  expect([error.code, reasonOf(error)]).toEqual([Code.OutOfRange, "VERSION_EXPIRED"]);
});

test("a line that is not an object is reported as lost, which strict mode rejects", async () => {
  const { client, differences } = await lines(`7\n${ADDED}\n`);
  await expect(all(client.watchPods({ namespace: "n" }))).rejects.toThrow("[0]: expected object, got number");
  expect(differences).toEqual([{ path: "[0]", expected: "object", got: "number 7", class: "lost" }]);
});

test("an HTML page is an error instead of an empty stream", async () => {
  const { client } = await lines("<html>\n</html>\n");
  const error = await failureOf(all(client.watchPods({ namespace: "n" })));
  expect(reasonOf(error)).toBe("UPSTREAM_BODY_NOT_JSON");
});

test("closing the client ends an endless watch", async () => {
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
