import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { type Failure, failureOf } from "./failure.ts";
import { GATEWAY_WAYS, startWorld, WAYS, type Way, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  // The gateway survives each case, and the next call succeeds.
  world.sandbox.clearRates();
  Object.assign(world.sandbox.limits, { callsPerHour: 1000, feedCallsWithToken: 5000 });
  world.sandbox.rules.postingDisabled = false;
  for (const way of ["Connect JSON, HTTP/1.1", "gRPC proto, h2c"] as const) {
    expect((await info(way, "demo")).blog?.name).toBe("demo");
  }
});
afterAll(() => world.close());

const info = (way: Way, blogIdentifier: string) =>
  world.client(BlogService, way).getBlogInfo({ blogIdentifier });
const posts = (way: Way) => world.client(PostService, way);
const events = (way: Way) => world.client(EventService, way);
const CONTENT = [{ block: { case: "text", value: { text: "hello" } } } as const];

interface Case {
  readonly name: string;
  readonly prepare?: () => void;
  readonly call: (way: Way) => Promise<unknown>;
  readonly failure: Failure;
}

/** Runs a case and counts its requests to the upstream. */
async function run({ prepare, call }: Case, way: Way): Promise<{ failure: Failure; requests: number }> {
  prepare?.();
  world.sandbox.received.clear();
  const failure = await failureOf(call(way));
  return { failure, requests: world.sandbox.received.total };
}

const FROM_UPSTREAM: readonly Case[] = [
  {
    name: "a missing blog",
    call: (way) => info(way, "nobody"),
    failure: {
      code: "NotFound",
      text: "upstream blog responded with 404 Not Found: Not Found: Blog not found: nobody",
      reason: "BLOG_NOT_FOUND",
      domain: "blog",
      metadata: { http_status: "404" },
    },
  },
  {
    name: "a missing post",
    call: (way) => posts(way).listPosts({ blogIdentifier: "demo", postId: 18_446_744_073_709_551_615n }),
    failure: {
      code: "NotFound",
      text: "upstream blog responded with 404 Not Found: Not Found: Post not found: 18446744073709551615",
      reason: "BLOG_OR_POST_NOT_FOUND",
      domain: "blog",
      metadata: { http_status: "404" },
    },
  },
  {
    name: "a private blog",
    call: (way) => info(way, "ada-secret"),
    failure: {
      code: "PermissionDenied",
      text: "upstream blog responded with 403 Forbidden: Forbidden: You are not allowed to access this blog",
      reason: "FORBIDDEN",
      domain: "blog",
      metadata: { http_status: "403" },
    },
  },
  {
    name: "disabled posting",
    prepare: () => {
      world.sandbox.rules.postingDisabled = true;
    },
    call: (way) => posts(way).createPost({ blogIdentifier: "demo", content: CONTENT }),
    failure: {
      code: "Unavailable",
      text: "upstream blog responded with 503 Service Unavailable: Service Unavailable: Posting is disabled",
      reason: "POSTING_DISABLED",
      domain: "blog",
      metadata: { http_status: "503" },
    },
  },
  {
    name: "the rate limit of the consumer key",
    prepare: () => {
      world.sandbox.limits.callsPerHour = 0;
    },
    call: (way) => info(way, "demo"),
    failure: {
      code: "ResourceExhausted",
      text: "upstream blog responded with 429 Too Many Requests: Limit Exceeded: Rate limit of the consumer key",
      reason: "TOO_MANY_REQUESTS",
      domain: "blog",
      metadata: { http_status: "429" },
      retrySeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 3600),
    },
  },
  {
    name: "a rate limit reported with status 403",
    prepare: () => {
      world.sandbox.limits.feedCallsWithToken = 0;
    },
    call: (way) => events(way).listRepositoryEvents({ owner: "octo", repo: "hello" }),
    failure: {
      code: "ResourceExhausted",
      text: "upstream events responded with 403 Forbidden: API rate limit exceeded",
      reason: "RATE_LIMITED",
      domain: "events",
      metadata: { http_status: "403" },
      retrySeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 3600),
    },
  },
  {
    name: "a page after the last page",
    call: (way) => events(way).listRepositoryEvents({ owner: "octo", repo: "hello", page: 11 }),
    failure: {
      code: "OutOfRange",
      text: "upstream events responded with 422 Unprocessable Content: In order to keep the API fast for everyone, pagination is limited to 300 events.",
      reason: "PAGE_OUT_OF_RANGE",
      domain: "events",
      metadata: { http_status: "422" },
    },
  },
];

describe.each(FROM_UPSTREAM)("$name", (each) => {
  test.each(WAYS)("is reported as an error of the upstream, by %s", async (way) => {
    expect(await run(each, way)).toEqual({ failure: each.failure, requests: 1 });
  });
});

test.each(WAYS)("a redirect is not followed, and the error contains its address, by %s", async (way) => {
  world.sandbox.received.clear();
  const call = events(way).listRepositoryEvents({ owner: "octo", repo: "old-hello" });
  expect(await failureOf(call)).toEqual({
    code: "FailedPrecondition",
    text: "upstream events: unexpected redirect (301); redirects are not followed",
    reason: "MOVED",
    domain: "events",
    metadata: { http_status: "301", location: `${world.sandbox.feedUrl}/repositories/201/events` },
  });
  expect(world.sandbox.received.total).toBe(1);
});

const REFUSED: readonly (Omit<Case, "failure"> & { readonly failure: Partial<Failure> })[] = [
  {
    name: "limit: 21",
    call: (way) => posts(way).listPosts({ blogIdentifier: "demo", limit: 21 }),
    failure: {
      text: "limit: must be greater than or equal to 1 and less than or equal to 20 [int32.gte_lte]",
      rules: ["limit: int32.gte_lte"],
    },
  },
  {
    name: "five tags",
    call: (way) => posts(way).listPosts({ blogIdentifier: "demo", tags: ["a", "b", "c", "d", "e"] }),
    failure: {
      text: "tags: must contain no more than 4 item(s) [repeated.max_items]",
      rules: ["tags: repeated.max_items"],
    },
  },
  {
    name: "before together with offset",
    call: (way) => posts(way).listPosts({ blogIdentifier: "demo", before: timestampFromMs(1000), offset: 1 }),
    failure: {
      text: "before and offset must not be used in the same request [list_posts.before_or_offset]",
      rules: [": list_posts.before_or_offset"],
    },
  },
  {
    name: "a post without content",
    call: (way) => posts(way).createPost({ blogIdentifier: "demo" }),
    failure: {
      text: "content: must contain at least 1 item(s) [repeated.min_items]",
      rules: ["content: repeated.min_items"],
    },
  },
  {
    name: "two violations in one request",
    call: (way) => posts(way).listPosts({ blogIdentifier: "demo", limit: 0, offset: -1 }),
    failure: { rules: ["limit: int32.gte_lte", "offset: int32.gte"] },
  },
  ...["..", ".", "", "%2e%2e", "🌳", "a/b", "a\nb", "demo?x=1", "demo#x", "t:../x"].map((value) => ({
    name: `the path value ${JSON.stringify(value)}`,
    call: (way: Way) => info(way, value),
    failure: {
      text: expect.stringMatching(/^blog_identifier: /),
      rules: [expect.stringMatching(/^blog_identifier: /)],
    },
  })),
];

describe.each(REFUSED)("$name", (each) => {
  test.each(GATEWAY_WAYS)("is rejected before any request to the upstream, by %s", async (way) => {
    const { failure, requests } = await run({ ...each, failure: each.failure as Failure }, way);
    expect(failure).toMatchObject({ code: "InvalidArgument", ...each.failure });
    expect(requests).toBe(0);
  });
});

const noPath = (field: string, problem: string, remedy: string): Failure => ({
  code: "InvalidArgument",
  text: `${field}: ${problem}, so it cannot be part of a URL path; ${remedy}`,
  reason: "PATH_VALUE_INVALID",
  domain: "connect-rest",
  metadata: {},
  fields: [`${field}: ${problem}`],
});

const DOT = "send another value";

test.each(
  WAYS.flatMap(
    (way) =>
      [
        [way, ".."],
        [way, "."],
      ] as const,
  ),
)("path values that match the field's pattern: by %s the segment %j is rejected", async (way, value) => {
  world.sandbox.received.clear();
  const problem = `is the dot segment "${value}"`;
  const byOwner = events(way).listRepositoryEvents({ owner: value, repo: "hello" });
  expect(await failureOf(byOwner)).toEqual(noPath("owner", problem, DOT));
  const byRepo = events(way).listRepositoryEvents({ owner: "octo", repo: value });
  expect(await failureOf(byRepo)).toEqual(noPath("repo", problem, DOT));
  expect(world.sandbox.received.total).toBe(0);
});

test.each([
  ["..", noPath("blog_identifier", 'is the dot segment ".."', DOT)],
  [".", noPath("blog_identifier", 'is the dot segment "."', DOT)],
  ["", noPath("blog_identifier", "is empty", "send a value that is not empty")],
  ["a\nb", noPath("blog_identifier", "contains a control character", "send the value without it")],
  ["\ud800", noPath("blog_identifier", "contains a lone surrogate", "send well-formed Unicode")],
])("path values in-process, without protovalidate: %j is rejected", async (value, failure) => {
  world.sandbox.received.clear();
  expect(await failureOf(info("in-process", value))).toEqual(failure);
  expect(world.sandbox.received.total).toBe(0);
});

test.each([
  ["%2e%2e", "/v2/blog/%252e%252e/info"],
  ["🌳", "/v2/blog/%F0%9F%8C%B3/info"],
  ["a/b", "/v2/blog/a%2Fb/info"],
  ["demo?x=1", "/v2/blog/demo%3Fx%3D1/info"],
  ["demo#x", "/v2/blog/demo%23x/info"],
  ["t:../x", "/v2/blog/t%3A..%2Fx/info"],
])("path values in-process, without protovalidate: %j stays one segment: %s", async (value, path) => {
  expect(await failureOf(info("in-process", value))).toMatchObject({
    code: "NotFound",
    text: `upstream blog responded with 404 Not Found: Not Found: Blog not found: ${value}`,
  });
  expect(world.sandbox.received.last?.path).toBe(path);
});

test.each(GATEWAY_WAYS)("a lone surrogate is never sent to the upstream, by %s", async (way) => {
  world.sandbox.received.clear();
  expect(await failureOf(info(way, "\ud800"))).toMatchObject({ code: "InvalidArgument" });
  expect(world.sandbox.received.total).toBe(0);
});

describe("credentials that the upstream rejects", () => {
  let wrong: World;
  beforeAll(async () => {
    wrong = await startWorld({
      upstreams: ({ blog, events }) => ({
        blog: { ...blog, credentials: { apiKey: "wrong-key-of-the-configuration" } },
        events: { ...events, credentials: { oauth2: { accessToken: "wrong-token-of-the-configuration" } } },
      }),
    });
  });
  afterAll(() => wrong.close());

  const rejectedBy = (domain: string, subcode?: string): Failure => ({
    code: "Internal",
    text: `upstream ${domain}: the configured credentials were rejected with status 401`,
    reason: "UPSTREAM_CREDENTIALS",
    domain,
    metadata: { http_status: "401", ...(subcode !== undefined && { subcode }) },
  });

  test.each(WAYS)("cause an internal error, and not an error of the caller, by %s", async (way) => {
    const blog = wrong.client(BlogService, way).getBlogInfo({ blogIdentifier: "demo" });
    expect(await failureOf(blog)).toEqual(rejectedBy("blog", "1016"));
    const feed = wrong.client(EventService, way).listRepositoryEvents({ owner: "octo", repo: "hello" });
    expect(await failureOf(feed)).toEqual(rejectedBy("events"));
  });

  test.each(WAYS)("are not used for a method that needs credentials of another kind, by %s", async (way) => {
    wrong.sandbox.received.clear();
    const call = wrong.client(PostService, way).createPost({ blogIdentifier: "demo", content: CONTENT });
    expect(await failureOf(call)).toEqual({
      code: "Unauthenticated",
      text: "upstream blog: blog.v1.PostService.CreatePost needs one of oauth1, oauth2, got api_key",
      reason: "UPSTREAM_CREDENTIALS_MISSING",
      domain: "blog",
      metadata: {},
    });
    expect(wrong.sandbox.received.total).toBe(0);
  });
});
