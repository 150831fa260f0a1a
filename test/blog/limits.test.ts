import { createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { startSandbox } from "connect-rest-sandbox";
import { expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { BlogServiceRest } from "../../gen/blog/v1/blog_rest.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { failureOf } from "../end-to-end/failure.ts";
import { credentialsOf } from "./world.ts";

test("the gateway enforces only the limits of the block endpoints", () => {
  const limited = [BlogServiceRest, PostServiceRest].flatMap(({ methods }) =>
    Object.entries(methods).flatMap(([name, { rules }]) =>
      (rules.rateLimits ?? []).map((limit) => [name, limit.requests, limit.bucket]),
    ),
  );
  const methods = ["listBlocks", "streamBlocks", "createBlock", "bulkCreateBlocks", "deleteBlock"];
  expect(limited).toEqual(methods.map((name) => [name, 60, "blocks"]));
});

test("the four block endpoints share 60 requests per minute, and further calls are rejected without a request", async () => {
  const sandbox = await startSandbox({ port: 0 });
  const clock = new FakeClock();
  const transport = createRestTransport({
    adapters: [BlogServiceRest],
    upstreams: { blog: { baseUrl: sandbox.url, credentials: credentialsOf(sandbox, "demo") } },
    timeoutMs: 1000,
    clock,
  });
  const blogs = createClient(BlogService, transport);
  const demo = { blogIdentifier: "demo" };
  const target = { case: "blockedBlog", value: "reader-01" } as const;
  const calls = [
    () => blogs.listBlocks(demo),
    () => blogs.createBlock({ ...demo, target }),
    () => blogs.bulkCreateBlocks({ ...demo, blockedBlogs: ["reader-01"] }),
    () => blogs.deleteBlock({ ...demo, target }),
  ];
  for (let count = 0; count < 60; count++) await calls[count % 4]?.();
  for (const call of calls) {
    expect(await failureOf(call())).toMatchObject({
      code: "ResourceExhausted",
      reason: "LOCAL_RATE_LIMIT",
      retrySeconds: 60,
    });
  }
  expect(sandbox.received.total).toBe(60);
  await blogs.getBlogInfo(demo);
  clock.advance(60_000);
  sandbox.clearRates();
  await blogs.listBlocks(demo);
  expect(sandbox.received.total).toBe(62);
  await transport.close();
  await sandbox.close();
});
