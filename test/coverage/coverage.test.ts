import { readFileSync } from "node:fs";
import type { DescMessage } from "@bufbuild/protobuf";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import type { Fault, FaultOptions } from "connect-rest-sandbox";
import { beforeAll, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { EmbedService } from "../../gen/blog/v1/embed_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { OAuthService } from "../../gen/oauth/v1/oauth_pb.ts";
import { FilterService } from "../../gen/user/v1/filter_pb.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";
import type { Case } from "../blog/case.ts";
import { BLOG_CASES } from "../blog/cases/blog.ts";
import { OAUTH_CASES } from "../blog/cases/oauth.ts";
import { POST_CASES } from "../blog/cases/posts.ts";
import { STATE_CASES } from "../blog/cases/states.ts";
import { TAGGED_CASES } from "../blog/cases/tagged.ts";
import { WRITING_CASES } from "../blog/cases/writing.ts";
import { type BlogWorld, startBlogWorld, WAYS } from "../blog/world.ts";
import { COMMUNITY_CASES } from "../community/cases/communities.ts";
import { LIVE_COMMUNITY_CASES } from "../community/cases/live.ts";
import { MEMBER_CASES } from "../community/cases/members.ts";
import { COMMUNITY_POST_CASES } from "../community/cases/posts.ts";
import { FILTER_CASES } from "../user/cases/filters.ts";
import { LIVE_USER_CASES } from "../user/cases/live.ts";
import { USER_CASES } from "../user/cases/user.ts";
import { endpointOf, parametersOf } from "./parameters.ts";
import { Records, reflected } from "./record.ts";
import type { Section } from "./section.ts";
import { TABLE } from "./table.ts";
import { USERS_AND_COMMUNITIES } from "./users-and-communities.ts";

const records = new Set<string>();
const seen = new Records();
/** The methods that have returned a response. */
const methods = new Set<string>();
/** The JSON that the sandbox sent last. */
let sent: unknown;
/** The environment of the cases, undefined until it has started. */
let running: BlogWorld | undefined;

/** Compares each response with the JSON that the sandbox sent. */
const observe: Interceptor = (next) => async (request) => {
  const response = await next(request);
  methods.add(`${request.service.typeName}.${request.method.name}`);
  const asked = running?.sandbox.received.last;
  if (asked !== undefined) records.add(`answered ${endpointOf(asked)}`);
  if (!response.stream) consume(sent, request.method.output, response.message);
  return response;
};

function consume(json: unknown, output: DescMessage, message: object): void {
  const payload = payloadOf(json);
  const [only] = output.fields;
  const whole = reflected(output, message);
  // With `response_body`, the payload is a field of the response.
  if (Array.isArray(payload) && only?.fieldKind === "list" && only.listKind === "message") {
    const items = [...(whole.get(only) as Iterable<Parameters<Records["consume"]>[1]>)];
    for (const [index, item] of items.entries()) seen.consume(payload[index], item);
    return;
  }
  const isInner =
    only?.fieldKind === "message" && output.fields.length === 1 && !(only.name in Object(payload));
  if (isInner && whole.isSet(only)) {
    seen.consume(payload, whole.get(only) as Parameters<Records["consume"]>[1]);
  } else {
    seen.consume(payload, whole);
  }
}

function payloadOf(json: unknown): unknown {
  const envelope = Object(json) as { meta?: unknown; response?: unknown };
  return envelope.meta === undefined ? json : envelope.response;
}

/** Records the responses of the sandbox, with or without changes by a case. */
function watch({ sandbox }: BlogWorld): BlogWorld["sandbox"] {
  const noted = (json: unknown) => {
    sent = json;
    return json;
  };
  const next = (fault: Fault, options?: FaultOptions) => {
    if ("body" in fault) noted(fault.body);
    if (!("drift" in fault)) {
      sandbox.next(fault, options);
    } else {
      sandbox.next({ drift: (json) => noted(fault.drift(json) ?? json) }, options);
    }
  };
  return Object.create(sandbox, { next: { value: next } }) as BlogWorld["sandbox"];
}

async function run(each: Case, world: BlogWorld): Promise<void> {
  world.reset();
  world.identity = each.as;
  sent = undefined;
  const sandbox = watch(world);
  await each.prepare(Object.create(world, { sandbox: { value: sandbox } }) as BlogWorld);
  sandbox.next({ drift: (json) => json }, { times: Number.POSITIVE_INFINITY });
  try {
    await each.call(world.api("in-process"), world);
    if (STATE_CASES.includes(each)) records.add(`state ${each.name}`);
  } catch (error) {
    if (each.kind !== "answer") records.add(`case ${each.endpoint}: ${each.name}`);
    note(error, world);
  }
  for (const request of world.sandbox.received) {
    for (const name of parametersOf(request)) records.add(`parameter ${endpointOf(request)} ${name}`);
    if (request.headers["user-agent"] !== undefined) records.add("received user-agent");
    records.add(`received ${request.headers["content-type"]?.split(";")[0]}`);
  }
}

/** Records the error and the endpoint that caused it. */
function note(error: unknown, world: BlogWorld): void {
  const [info] = ConnectError.from(error).findDetails(ErrorInfoSchema);
  const request = world.sandbox.received.last;
  if (info?.metadata.http_status === undefined || request === undefined) return;
  const { http_status: status, subcode } = info.metadata;
  const code = subcode === undefined ? status : `${status}.${subcode}`;
  records.add(`error ${code}`);
  records.add(`error ${endpointOf(request)} ${code}`);
}

const CASES = [
  ...BLOG_CASES,
  ...POST_CASES,
  ...WRITING_CASES,
  ...STATE_CASES,
  ...OAUTH_CASES,
  ...TAGGED_CASES,
  ...USER_CASES,
  ...FILTER_CASES,
  ...COMMUNITY_CASES,
  ...MEMBER_CASES,
  ...COMMUNITY_POST_CASES,
  ...LIVE_USER_CASES,
  ...LIVE_COMMUNITY_CASES,
];

beforeAll(async () => {
  const world = await startBlogWorld({ interceptors: [observe] });
  running = world;
  for (const each of CASES) await run(each, world);
  await world.close();
  for (const name of seen.fields) records.add(`field ${name}`);
  const kinds = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
  if (![...records].some((record) => / (jsonp|callback)$/.test(record))) records.add("received no jsonp");
  if (kinds.every((kind) => records.has(`received ${kind}`))) records.add("received JSON form and multipart");
}, 300_000);

interface Row {
  readonly name: string;
  readonly record: string;
}

function rowsOf({ kind, of, names }: Section): Row[] {
  if (names === "") return [];
  return names.split(names.includes(";") ? "; " : ", ").map((text) => {
    const [name = "", own = name] = text.split(" = ");
    if (kind === "parameter") return { name, record: `parameter ${of} ${own}` };
    if (kind === "error") return { name, record: of === "" ? `error ${own}` : `error ${of} ${own}` };
    if (kind === "case") return { name, record: `case ${own}` };
    if (kind === "field") return { name, record: `field ${own.includes(".v1.") ? own : `${of}.${own}`}` };
    return { name, record: own };
  });
}

describe.each([...TABLE, ...USERS_AND_COMMUNITIES])("$title", (section) => {
  test("covers every row of the section once", () => {
    const rows = rowsOf(section);
    expect([rows.length, new Set(rows.map(({ name }) => name)).size]).toEqual([section.rows, section.rows]);
  });

  test("every row is covered by a value that a case sent or received", () => {
    const { elsewhere = {} } = section;
    const missing = rowsOf(section).filter(
      ({ name, record }) => !(name in elsewhere) && !records.has(record),
    );
    expect(missing.map(({ name, record }) => `${name}: ${record}`)).toEqual([]);
  });
});

/** Endpoints that are web pages rather than RPCs. */
const PAGES: ReadonlySet<string> = new Set(["GET /oauth/authorize", "GET /oauth2/authorize"]);
const endpointsOf = (sections: readonly Section[]) =>
  sections.filter(({ kind, of }) => kind === "parameter" && !PAGES.has(of)).map(({ of }) => of);
const ENDPOINTS = endpointsOf(TABLE);
const LATER_ENDPOINTS = endpointsOf(USERS_AND_COMMUNITIES);

test("the cases include a successful response of every endpoint in the reference", () => {
  const all = [...ENDPOINTS, ...LATER_ENDPOINTS];
  expect(all.filter((endpoint) => !records.has(`answered ${endpoint}`))).toEqual([]);
});

test("the cases of every endpoint with credentials include wrong credentials, excessive calls and a missing blog", () => {
  const guarded = ENDPOINTS.filter((endpoint) => / P\//.test(endpoint) && endpoint !== "GET P/avatar");
  expect(guarded).toHaveLength(28);
  const wanted = guarded.flatMap((endpoint) =>
    ["401.1016", "404", "429"].map((status) => `error ${endpoint} ${status}`),
  );
  expect(wanted.filter((record) => !records.has(record))).toEqual([]);
});

test("the cases of every endpoint for users and communities include wrong credentials and excessive calls", () => {
  expect(LATER_ENDPOINTS).toHaveLength(36);
  const wanted = LATER_ENDPOINTS.flatMap((endpoint) =>
    ["401.1016", "429"].map((status) => `error ${endpoint} ${status}`),
  );
  expect(wanted.filter((record) => !records.has(record))).toEqual([]);
});

const SERVICES = [
  BlogService,
  PostService,
  UserService,
  FilterService,
  CommunityService,
  EmbedService,
  OAuthService,
];

test("the cases include a response of every unary method", () => {
  const unary = SERVICES.flatMap((service) =>
    service.methods
      .filter(({ methodKind }) => methodKind === "unary")
      .map(({ name }) => `${service.typeName}.${name}`),
  );
  expect(unary.filter((name) => !methods.has(name))).toEqual([]);
});

test("the tests of the endpoints call every case by every protocol", () => {
  expect(WAYS).toEqual(expect.arrayContaining(["Connect JSON", "Connect proto", "gRPC", "gRPC-Web"]));
  const files = {
    "blog/blog": "BLOG",
    "blog/posts": "POST",
    "blog/writing": "WRITING",
    "blog/oauth": "OAUTH",
    "blog/states": "STATE",
    "blog/tagged": "TAGGED",
    "user/user": "USER",
    "user/filters": "FILTER",
    "community/communities": "COMMUNITY",
    "community/members": "MEMBER",
    "community/posts": "COMMUNITY_POST",
    "user/live": "LIVE_USER",
    "community/live": "LIVE_COMMUNITY",
  };
  for (const [name, cases] of Object.entries(files)) {
    const text = readFileSync(new URL(`../${name}.test.ts`, import.meta.url), "utf8");
    expect(text).toContain(`${cases}_CASES`);
  }
});
