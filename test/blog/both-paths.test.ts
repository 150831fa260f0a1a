import { toJson } from "@bufbuild/protobuf";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIVE_COMMUNITY_CASES } from "../community/cases/live.ts";
import { LIVE_USER_CASES } from "../user/cases/live.ts";
import type { Case } from "./case.ts";
import { BLOG_CASES } from "./cases/blog.ts";
import { OAUTH_CASES } from "./cases/oauth.ts";
import { POST_CASES } from "./cases/posts.ts";
import { TAGGED_CASES } from "./cases/tagged.ts";
import { WRITING_CASES } from "./cases/writing.ts";
import { outcomeOf } from "./outcome.ts";
import { type BlogWorld, startBlogWorld, WAYS } from "./world.ts";

/** Random tokens in responses of the sandbox. */
const DRAWN = /[A-Za-z0-9]{40,}/g;

/** Endpoints whose successful responses are random, so only their errors are compared. */
const OTHER_EACH_TIME = ["POST P/posts/queue/shuffle", "POST P/posts (reblog)", "POST C/invite_hash"];

const ways = WAYS.filter((way) => way !== "in-process");
/** The results of each call in a case, including headers and trailers. */
let seen: unknown[] = [];
let fast: BlogWorld;
let connect: BlogWorld;

beforeAll(async () => {
  fast = await startBlogWorld({ gatewayInterceptors: [watch] });
  const other = await fast.withoutFastPath();
  const close = async () => {
    await other.close();
    await fast.close();
  };
  connect = Object.create(fast, { api: { value: other.api }, close: { value: close } });
});
afterAll(() => connect.close());

const watch: Interceptor = (next) => async (request) => {
  try {
    const response = await next(request);
    const message = response.stream ? "a stream" : toJson(response.method.output, response.message);
    seen.push({ header: kept(response.header), trailer: kept(response.trailer), message });
    return response;
  } catch (error) {
    const { message, metadata, details } = ConnectError.from(error);
    seen.push({ message, metadata: kept(metadata), details });
    throw error;
  }
};

/** Returns the headers except those that depend on the request or the time. */
function kept(headers: Headers): unknown {
  return [...headers].filter(([name]) => !/^date$|^x-request-id$|-reset$/.test(name));
}

/** @param now the time of every call, so that all responses contain the same times */
async function seenIn(world: BlogWorld, each: Case, now: number): Promise<unknown[]> {
  const all: unknown[] = [];
  const prepare: Case["prepare"] = (prepared) => {
    prepared.sandbox.clock.freeze(now);
    return each.prepare(prepared);
  };
  for (const way of ways) {
    seen = [];
    fast.sandbox.clearRates();
    await outcomeOf({ ...each, prepare }, way, world);
    all.push([way, JSON.stringify(seen).replace(DRAWN, "…")]);
  }
  return all;
}

/** Returns the first case of each kind. */
function oneOfEach(cases: readonly Case[]): Case[] {
  const kinds = ["answer", "failure", "rejected"] as const;
  return kinds.flatMap((kind) => cases.find((each) => each.kind === kind) ?? []);
}

const ALL = [
  ...BLOG_CASES,
  ...POST_CASES,
  ...WRITING_CASES,
  ...OAUTH_CASES,
  ...TAGGED_CASES,
  ...LIVE_USER_CASES,
  ...LIVE_COMMUNITY_CASES,
];
const cases = ALL.filter(({ endpoint, kind }) => kind !== "answer" || !OTHER_EACH_TIME.includes(endpoint));
const byEndpoint = Map.groupBy(cases, ({ endpoint }) => endpoint);

test.each([...byEndpoint])("both paths give the same response: %s", async (_, own) => {
  for (const each of oneOfEach(own)) {
    const now = Date.now();
    expect([each.name, await seenIn(fast, each, now)]).toEqual([each.name, await seenIn(connect, each, now)]);
  }
});
