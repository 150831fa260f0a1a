import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { RetryService } from "../gen/rules/v1/retries_pb.ts";
import { RetryServiceRest } from "../gen/rules/v1/retries_rest.ts";
import { start } from "./world.ts";

/** Starts an upstream that fails once and then succeeds. */
const retries = () =>
  start(RetryService, RetryServiceRest, (_seen, index) => (index === 0 ? { status: 503 } : {}), {
    upstream: { retry: { baseDelayMs: 1, maxDelayMs: 1 } },
  });

test.each(["replaceThing", "findThings"] as const)("%s is sent again after a failure", async (name) => {
  const { client, seen } = await retries();
  await client[name]({ id: "7" });
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual(seen[0]);
});

test.each(["acceptThing", "createThing"] as const)("%s is sent once", async (name) => {
  const { client, seen } = await retries();
  const error = await failureOf(client[name]({ id: "7" }));
  expect(error.code).toBe(Code.Unavailable);
  expect(seen).toHaveLength(1);
});
