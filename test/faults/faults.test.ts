import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { type Failure, failureOf } from "../end-to-end/failure.ts";
import { startWorld, type Upstreams, type World } from "../end-to-end/world.ts";
import { type ConnectionFault, FaultProxy } from "../support/fault-proxy.ts";

const WAY = "gRPC proto, h2c";
const timeouts = { headersTimeoutMs: 300, bodyTimeoutMs: 300, connectTimeoutMs: 300 };

let proxy: FaultProxy;
let world: World;
beforeAll(async () => {
  proxy = await FaultProxy.start();
  world = await startWorld({ upstreams: throughProxy });
});
afterEach(async () => {
  proxy.fault = undefined;
  await proxy.drop();
  // Each method is called again, to show that the fault has no further effect.
  for (const call of Object.values(methods)) await call(1);
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

/** The blogging service through the proxy. Requests are not retried, so that each fault is visible. */
function throughProxy({ blog, events }: Upstreams) {
  proxy.target = Number(new URL(blog.bases?.api ?? "").port);
  const bases = { api: proxy.url, web: proxy.url };
  return { blog: { ...blog, bases, ...timeouts, retry: false, breaker: false } as const, events };
}

const posts = () => world.client(PostService, WAY);

/** Calls of each kind, with a deadline in seconds. */
const methods: Readonly<Record<string, (seconds?: number) => Promise<unknown>>> = {
  "a small answer": (seconds = 10) =>
    world.client(BlogService, WAY).getBlogInfo({ blogIdentifier: "demo" }, { timeoutMs: 1000 * seconds }),
  "a large response": (seconds = 10) =>
    posts().listPosts({ blogIdentifier: "demo", limit: 20 }, { timeoutMs: 1000 * seconds }),
  "a call that writes": (seconds = 10) =>
    posts().createPost(
      { blogIdentifier: "demo", content: [{ block: { case: "text", value: { text: "new" } } }] },
      { timeoutMs: 1000 * seconds },
    ),
  "a stream": async (seconds = 10) => {
    const items = posts().streamPosts({ blogIdentifier: "demo", limit: 5 }, { timeoutMs: 1000 * seconds });
    for await (const _ of items) return;
  },
};

const ofBlog = (code: string, text: string, reason: string): Failure => ({
  code,
  text: `upstream blog: ${text}`,
  reason,
  domain: "blog",
  metadata: {},
});
const closed = ofBlog("Unavailable", "the connection was closed before the response", "UPSTREAM_RESET");
const truncated = ofBlog("Unavailable", "the response body is incomplete", "UPSTREAM_TRUNCATED");
const noHttp = ofBlog("Unavailable", "the response is not HTTP", "UPSTREAM_NOT_HTTP");
const late = (part: string) =>
  ofBlog("DeadlineExceeded", `timed out after 300 ms waiting for ${part}`, "UPSTREAM_TIMEOUT");

/** Offsets in the headers and the body of each response; the smallest response has more than 600 bytes. */
const IN_HEAD = 40;
const IN_BODY = 600;

const FAULTS: readonly (readonly [name: string, fault: ConnectionFault, failure: Failure])[] = [
  ["a reset before the response", { kind: "reset", afterBytes: 0 }, closed],
  ["a reset within the headers", { kind: "reset", afterBytes: IN_HEAD }, closed],
  ["an end before the response", { kind: "truncation", afterBytes: 0 }, closed],
  ["an end within the headers", { kind: "truncation", afterBytes: IN_HEAD }, closed],
  ["a half-close before the response", { kind: "half-close", afterBytes: 0 }, closed],
  ["a half-close within the headers", { kind: "half-close", afterBytes: IN_HEAD }, closed],
  ["garbage", { kind: "garbage", bytes: "\x00\x01\x02garbage\r\n\r\n" }, noHttp],
  ["another protocol", { kind: "garbage", bytes: "220 smtp.example ESMTP\r\n" }, noHttp],
  ["silence before the response", { kind: "black hole", afterBytes: 0 }, late("the response head")],
  ["silence within the headers", { kind: "black hole", afterBytes: IN_HEAD }, late("the response head")],
];

describe.each(Object.keys(methods))("%s handles", (name) => {
  const call = methods[name] ?? (() => Promise.reject(new Error("no such method")));

  test.each(FAULTS)("%s", async (_name, fault, failure) => {
    proxy.fault = fault;
    expect(await failureOf(call())).toEqual(failure);
  });

  test("a slow connection", async () => {
    proxy.fault = { kind: "latency", ms: 50 };
    await call();
  });

  test("a connection with low bandwidth", async () => {
    proxy.fault = { kind: "bandwidth", bytes: 256, everyMs: 1 };
    await call();
  });

  test("a connection that is too slow for the deadline", async () => {
    proxy.fault = { kind: "latency", ms: 250 };
    expect(await failureOf(call(0.1))).toMatchObject({ code: "DeadlineExceeded" });
  });

  test("a dropped connection, and opens a new connection for the next call", async () => {
    await call();
    await proxy.drop();
    await call();
  });
});

const BODY_FAULTS: typeof FAULTS = [
  ["a reset within the body", { kind: "reset", afterBytes: IN_BODY }, truncated],
  ["an end within the body", { kind: "truncation", afterBytes: IN_BODY }, truncated],
  ["a half-close within the body", { kind: "half-close", afterBytes: IN_BODY }, truncated],
  ["silence within the body", { kind: "black hole", afterBytes: IN_BODY }, late("more of the body")],
  [
    "noise within the body",
    { kind: "noise", afterBytes: IN_BODY, bytes: "\x00\xff\x00" },
    {
      ...ofBlog("Internal", "", "UPSTREAM_BODY_NOT_JSON"),
      text: expect.stringMatching(
        /^upstream blog: expected JSON with status 200, got application\/json; charset=utf-8 that does not parse \(\d+ bytes\)$/,
      ),
    },
  ],
];

describe.each(["a large response", "a stream"])("%s handles", (name) => {
  test.each(BODY_FAULTS)("%s", async (_name, fault, failure) => {
    proxy.fault = fault;
    expect(await failureOf((methods[name] as () => Promise<unknown>)())).toEqual(failure);
  });
});

test("calls get UNAVAILABLE while the upstream does not listen, and succeed when it listens again", async () => {
  const port = proxy.target;
  const call = methods["a small answer"] as () => Promise<unknown>;
  proxy.target = 1;
  await proxy.drop();
  expect(await failureOf(call())).toEqual(closed);
  proxy.target = port;
  await proxy.drop();
  await call();
});

test("faults of one upstream do not affect the other", async () => {
  proxy.fault = { kind: "black hole", afterBytes: 0 };
  const stuck = failureOf((methods["a large response"] as () => Promise<unknown>)());
  expect((await fetch(`${world.gateway.url}/readyz`)).status).toBe(200);
  expect(await stuck).toEqual(late("the response head"));
});
