import http from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { GatewayOptions } from "connect-rest-gateway";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { callEveryTool, startToolWorld, type ToolWorld } from "./world.ts";

const OTHERS: ToolWorld[] = [];
const CLIENTS: Client[] = [];

let world: ToolWorld;
beforeAll(async () => {
  world = await startToolWorld({ origins: ["https://app.example"] });
});
afterEach(async () => {
  await Promise.all(CLIENTS.splice(0).map((client) => client.close()));
  await Promise.all(OTHERS.splice(0).map((other) => other.close()));
});
afterAll(() => world.close());

async function connect(url = world.gateway.url): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  CLIENTS.push(client);
  return client;
}

/** Starts a gateway with other options, and connects a client. */
async function connectWith(options: GatewayOptions["mcp"]): Promise<Client> {
  const other = await startToolWorld({ mcp: { maxTools: 1000, ...options } });
  OTHERS.push(other);
  return connect(other.gateway.url);
}

/** Returns the JSON of the text of a result. */
function textOf({ content }: { readonly content: readonly object[] }): unknown {
  const [first] = content;
  return JSON.parse((first as { readonly text: string }).text);
}

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** Sends a request with headers that `fetch` does not send. */
function post(
  headers: Readonly<Record<string, string>>,
  message: object = LIST,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const own = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = http.request(
      `${world.gateway.url}/mcp`,
      { method: "POST", headers: { ...own, ...headers } },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on("error", reject).end(JSON.stringify(message));
  });
}

test("the client of the SDK lists and calls every read-only tool, whose results fit their schemas", async () => {
  const names = await callEveryTool(await connect());
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => /_(Create|Delete|Update|Join|Follow|Like)[A-Z]/.test(name))).toEqual([]);
});

test("a page of another origin and a rebound host get nothing, and a configured origin is served", async () => {
  const { host } = new URL(world.gateway.url);
  const list = async (headers: Readonly<Record<string, string>>) => {
    const { status, text } = await post(headers);
    return [status, text.includes("inputSchema")];
  };
  expect(await list({})).toEqual([200, true]);
  expect(await list({ origin: `http://${host}` })).toEqual([200, true]);
  expect(await list({ origin: "https://app.example" })).toEqual([200, true]);
  expect(await list({ origin: "https://evil.example" })).toEqual([403, false]);
  expect(await list({ origin: "null" })).toEqual([403, false]);
  expect(await list({ "sec-fetch-site": "cross-site" })).toEqual([403, false]);
  expect(await list({ host: "evil.example" })).toEqual([421, false]);
  expect(await list({ host: "evil.example", origin: "http://evil.example" })).toEqual([421, false]);
});

test("an error of a call is a result with its code, reason and details", async () => {
  const client = await connect();
  const name = "blog_v1_BlogService_GetBlogInfo";
  const missing = await client.callTool({ name, arguments: { blogIdentifier: "nobody" } });
  expect(missing.isError).toBe(true);
  expect(textOf(missing)).toMatchObject({
    code: "not_found",
    reason: "BLOG_NOT_FOUND",
    message: expect.stringContaining("nobody"),
    details: [expect.objectContaining({ "@type": "google.rpc.ErrorInfo", domain: "blog" })],
  });
  const invalid = await client.callTool({ name, arguments: { blogIdentifier: "" } });
  expect(textOf(invalid)).toMatchObject({ code: "invalid_argument", reason: "REQUEST_INVALID" });
  const unknown = await client.callTool({ name, arguments: { blogIdentifier: 1 } });
  expect(textOf(unknown)).toMatchObject({ code: "invalid_argument", reason: "REQUEST_MALFORMED" });
  await expect(client.callTool({ name: "blog_v1_BlogService_DeleteBlock" })).rejects.toThrow(
    "there is no tool",
  );
});

test("a stream reports its progress, and ends at the limit of messages, bytes or time", async () => {
  const stream = {
    name: "blog_v1_PostService_StreamPosts",
    arguments: { blogIdentifier: "demo", limit: 20 },
  };
  const seen: number[] = [];
  const client = await connectWith({ maxMessages: 3 });
  const some = await client.callTool(stream, { onprogress: ({ progress }) => seen.push(progress) });
  expect(some.structuredContent).toMatchObject({ end: "message_limit" });
  expect((some.structuredContent as { messages: object[] }).messages).toHaveLength(3);
  expect(seen).toEqual([1, 2, 3]);
  const small = await (await connectWith({ maxResultBytes: 4096 })).callTool(stream);
  expect(small.structuredContent).toMatchObject({ end: "byte_limit" });
  expect(JSON.stringify(small.structuredContent).length).toBeLessThanOrEqual(4096);
  const watch = { name: "events_v1_EventService_WatchPublicEvents", arguments: {} };
  const timed = await (await connectWith({ maxStreamSeconds: 1 })).callTool(watch);
  expect(timed.structuredContent).toMatchObject({ end: "time_limit" });
});

test("a result that is too large is an error", async () => {
  const client = await connectWith({ maxResultBytes: 1024 });
  const result = await client.callTool({
    name: "blog_v1_PostService_ListPosts",
    arguments: { blogIdentifier: "demo" },
  });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatchObject({ code: "resource_exhausted", reason: "RESPONSE_TOO_LARGE" });
});

test("other methods are tools if patterns name them, and excluded methods are not tools", async () => {
  const client = await connectWith({
    methods: ["blog.v1.BlogService/CreateBlock"],
    exclude: ["events.v1.*"],
  });
  const { tools } = await client.listTools();
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toMatchObject([
    {
      name: "blog_v1_BlogService_CreateBlock",
      annotations: { destructiveHint: true, idempotentHint: false },
    },
  ]);
  expect(tools.filter(({ name }) => name.startsWith("events_"))).toEqual([]);
});

test("of many methods, a few are listed, and a model searches, describes and calls the others", async () => {
  const client = await connectWith({ maxTools: 10, listed: ["user.v1.UserService/GetUserInfo"] });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["search_methods", "describe_method", "call_method"],
    "user_v1_UserService_GetUserInfo",
  ]);
  expect(client.getInstructions()).toContain("search_methods");
  const search = async (query: string) => {
    const { structuredContent } = await client.callTool({ name: "search_methods", arguments: { query } });
    return (structuredContent as { methods: { name: string; method: string }[] }).methods;
  };
  for (const [query, method] of QUERIES) {
    const found = (await search(query)).slice(0, 3).map((each) => each.method);
    expect([query, found]).toEqual([query, expect.arrayContaining([method])]);
  }
  expect((await search("post")).length).toBe(10);
  expect(await search("zzz")).toEqual([]);
  const name = (await search("info of a blog"))[0]?.name ?? "";
  const described = await client.callTool({ name: "describe_method", arguments: { name } });
  expect(textOf(described)).toMatchObject({ name, inputSchema: { required: ["blogIdentifier"] } });
  const given = { name, arguments: { blogIdentifier: "demo" } };
  const called = await client.callTool({ name: "call_method", arguments: given });
  expect(called.structuredContent).toMatchObject({ blog: { name: "demo" } });
  const unknown = await client.callTool({ name: "call_method", arguments: { name: "DeleteBlog" } });
  expect(textOf(unknown)).toMatchObject({ code: "not_found", reason: "METHOD_UNKNOWN" });
});

/** Searches of a model, and the method that it needs. */
const QUERIES: readonly (readonly [query: string, method: string])[] = [
  ["info of a blog", "blog.v1.BlogService/GetBlogInfo"],
  ["list the followers of a blog", "blog.v1.BlogService/ListFollowers"],
  ["posts with a tag", "blog.v1.PostService/ListTaggedPosts"],
  ["members of a community", "community.v1.CommunityService/ListMembers"],
  ["dashboard", "user.v1.UserService/ListDashboard"],
  ["events of an organization", "events.v1.EventService/ListOrganizationEvents"],
];

test.each([
  ["no JSON", "{", {}, 400],
  ["a body above the limit", " ".repeat(2_000_000), {}, 413],
  ["a compressed body", "{}", { "content-encoding": "gzip" }, 415],
])("%s is rejected", async (_, body, headers, status) => {
  const other = await startToolWorld({ limits: { readMaxBytes: 1_000_000, drainNoticeMs: 1 } });
  OTHERS.push(other);
  const response = await fetch(`${other.gateway.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  });
  expect(response.status).toBe(status);
});

test("a cancelled call ends at the upstream", async () => {
  const client = await connectWith({ maxStreamSeconds: 60 });
  const abort = new AbortController();
  const watch = { name: "events_v1_EventService_WatchPublicEvents", arguments: { backlog: true } };
  const onprogress = () => abort.abort();
  await expect(client.callTool(watch, { signal: abort.signal, onprogress })).rejects.toThrow();
  const [other] = OTHERS;
  await expect.poll(() => other?.gateway.metrics().then((all) => JSON.stringify(all))).toContain("canceled");
});
