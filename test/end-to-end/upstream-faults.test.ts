import type { Fault } from "connect-rest-sandbox";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { type Failure, failureOf } from "./failure.ts";
import { startWorld, WAYS, type Way, type World } from "./world.ts";

const MIB = 1024 * 1024;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  // The call was not retried, and the next call succeeds.
  expect(world.sandbox.pendingFaults).toBe(0);
  world.sandbox.clearRates();
  expect(
    (await world.client(BlogService, "gRPC proto, h2c").getBlogInfo({ blogIdentifier: "demo" })).blog?.name,
  ).toBe("demo");
});
afterAll(() => world.close());

const list = (way: Way) => world.client(PostService, way).listPosts({ blogIdentifier: "demo", limit: 3 });

const ofBlog = (code: string, text: string, reason: string, metadata = {}): Failure => ({
  code,
  text: `upstream blog${text}`,
  reason,
  domain: "blog",
  metadata,
});
const answered = (code: string, status: number, phrase: string, reason: string): Failure =>
  ofBlog(code, ` responded with ${status} ${phrase}`, reason, { http_status: String(status) });
const truncated = ofBlog("Unavailable", ": the response body is incomplete", "UPSTREAM_TRUNCATED");
const closed = ofBlog("Unavailable", ": the connection was closed before the response", "UPSTREAM_RESET");
const tooLarge = ofBlog(
  "ResourceExhausted",
  ": the response body exceeds 16777216 bytes",
  "UPSTREAM_BODY_TOO_LARGE",
);

const FAULTS: readonly (readonly [name: string, fault: Fault, failure: Failure])[] = [
  ["HTML with 502", { html: true }, answered("Unavailable", 502, "Bad Gateway", "BAD_GATEWAY")],
  [
    "HTML with 200",
    { html: true, status: 200 },
    ofBlog(
      "Internal",
      ": expected JSON with status 200, got text/html; charset=utf-8 (106 bytes)",
      "UPSTREAM_BODY_NOT_JSON",
    ),
  ],
  [
    "garbage with 200",
    { garbage: true },
    ofBlog(
      "Internal",
      ": expected JSON with status 200, got application/json that does not parse (64 bytes)",
      "UPSTREAM_BODY_NOT_JSON",
    ),
  ],
  [
    "garbage with 500",
    { garbage: 100_000, status: 500 },
    answered("Internal", 500, "Internal Server Error", "INTERNAL_SERVER_ERROR"),
  ],
  ["half a body", { truncate: 1000 }, truncated],
  ["headers without a body", { truncate: 0 }, truncated],
  ["a connection reset before the response", { reset: "before" }, closed],
  ["a connection reset after it processed the request", { reset: "after" }, closed],
  ["a connection reset within the body", { reset: "body" }, truncated],
  ["an empty response", { raw: "" }, closed],
  [
    "another protocol",
    { raw: "SSH-2.0-OpenSSH_9.2\r\n" },
    ofBlog("Unavailable", ": the response is not HTTP", "UPSTREAM_NOT_HTTP"),
  ],
  [
    "a redirect to another host",
    { redirect: "http://127.0.0.1:1/steal?credentials" },
    ofBlog("FailedPrecondition", ": unexpected redirect (302); redirects are not followed", "MOVED", {
      http_status: "302",
      location: "http://127.0.0.1:1/steal?credentials",
    }),
  ],
  ["a body that is 10 MiB too large", { oversize: 26 * MIB }, tooLarge],
  [
    "a body that is not in the declared encoding",
    { headers: { "content-encoding": "gzip" } },
    ofBlog(
      "Internal",
      ": expected a body in gzip, deflate, br or zstd, got gzip that is corrupt",
      "UPSTREAM_BODY_ENCODING",
    ),
  ],
  [
    "an unknown encoding",
    { headers: { "content-encoding": "rot13" } },
    ofBlog("Internal", ": expected a body in gzip, deflate, br or zstd, got rot13", "UPSTREAM_BODY_ENCODING"),
  ],
  [
    "an error with a Retry-After header",
    { status: 503, headers: { "retry-after": "7" } },
    { ...answered("Unavailable", 503, "Service Unavailable", "SERVICE_UNAVAILABLE"), retrySeconds: 7 },
  ],
  [
    "an error in the envelope with status 200",
    { status: 200, body: { meta: { status: 404, msg: "Not Found" }, response: [] } },
    answered("NotFound", 404, "Not Found", "BLOG_OR_POST_NOT_FOUND"),
  ],
];

describe.each(FAULTS)("an upstream that responds with %s", (_name, fault, failure) => {
  test.each(WAYS)("causes its own error, by %s", async (way) => {
    world.sandbox.next(fault, { match: "/posts" });
    world.sandbox.received.clear();
    expect(await failureOf(list(way))).toEqual(failure);
    expect(world.sandbox.received.total).toBe(1);
  });
});

test.each(WAYS)("a slow response: is read completely by %s", async (way) => {
  world.sandbox.next({ delay: 40 }, { match: "/posts" });
  expect((await list(way)).posts).toHaveLength(3);
  world.sandbox.next({ drip: 700 }, { match: "/posts" });
  expect(await list(way)).toEqual(await list("in-process"));
});

test("a slow response: may pause inside a multi-byte character or a number", async () => {
  const whole = await list("in-process");
  world.sandbox.next({ drip: 37, every: 0 }, { match: "/posts" });
  expect(await list("Connect JSON, HTTP/1.1")).toEqual(whole);
});

const ENDLESS: readonly (readonly [name: string, fault: Fault])[] = [
  ["never", { hang: true }],
  ["with a head alone", { hang: "headers" }],
  ["with half a body", { hang: "body" }],
  ["byte by byte", { drip: 1, every: 50 }],
];

describe.each(ENDLESS)("an upstream that responds %s", (_name, fault) => {
  test.each(WAYS)("ends at the caller's deadline by %s", async (way) => {
    world.sandbox.next(fault, { match: "/posts" });
    const start = performance.now();
    const call = world.client(PostService, way).listPosts({ blogIdentifier: "demo" }, { timeoutMs: 300 });
    expect(await failureOf(call)).toMatchObject({ code: "DeadlineExceeded" });
    // The gateway's default deadline would be 15 seconds.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("a call ends at the deadline in its header, even if the client keeps waiting", async () => {
    world.sandbox.next(fault, { match: "/posts" });
    const response = await fetch(`${world.gateway.url}/blog.v1.PostService/ListPosts`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-timeout-ms": "300", connection: "close" },
      body: '{"blogIdentifier":"demo"}',
    });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: "deadline_exceeded" });
  });
});

test("a caller without a deadline gets the gateway's deadline", async () => {
  const impatient = await startWorld({ gateway: { limits: { unaryDeadlineMs: 80 } } });
  impatient.sandbox.next({ hang: true });
  const client = impatient.client(EventService, "gRPC proto, h2c");
  const call = client.listRepositoryEvents({ owner: "octo", repo: "hello" });
  expect(await failureOf(call)).toMatchObject({ code: "DeadlineExceeded" });
  await impatient.close();
});

test("a call that creates an object is not retried if its connection breaks", async () => {
  const total = async () => (await list("in-process")).totalPosts ?? 0;
  const before = await total();
  world.sandbox.next({ reset: "after" }, { match: /^POST/ });
  const content = [{ block: { case: "text", value: { text: "once" } } } as const];
  const call = world.client(PostService, "gRPC proto, h2c").createPost({ blogIdentifier: "demo", content });
  expect(await failureOf(call)).toEqual(closed);
  expect(await total()).toBe(before + 1);
});
