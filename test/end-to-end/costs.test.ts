/** Tests requests and responses of a few megabytes that would take seconds and gigabytes to decode. */
import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { BadRequestSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../gateway/src/gateway.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { httpUpstream, type TestServer } from "../../runtime/src/testing/servers.ts";
import { PlainSchema } from "../gen/rich/v1/plain_pb.ts";
import { PlainServiceRest } from "../gen/rich/v1/plain_rest.ts";

const SIZE = 1_000_000;
const LIMIT = "messageCost, 100000";
let upstream: TestServer;
let response = "{}";

beforeAll(async () => {
  upstream = await httpUpstream((request, outgoing) => {
    request.resume().on("end", () => {
      outgoing.writeHead(200, { "content-type": "application/json" }).end(response);
    });
  });
});
afterAll(() => upstream[Symbol.asyncDispose]());

const child = new BinaryWriter()
  .tag(PlainSchema.field.children.number, WireType.LengthDelimited)
  .bytes(new Uint8Array())
  .finish();
const proto = Buffer.alloc(SIZE - (SIZE % child.length), child);
const json = Buffer.from(`{"children":[${"{},".repeat(SIZE / 3)}{}]}`);
const small = toBinary(PlainSchema, create(PlainSchema));

function enveloped(bytes: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

interface Request {
  readonly type: string;
  readonly body: Uint8Array;
  readonly headers?: Record<string, string>;
}

const REQUESTS: Readonly<Record<string, Request>> = {
  "Connect with protobuf": { type: "application/proto", body: proto },
  "Connect with JSON": { type: "application/json", body: json },
  "Connect with compressed protobuf": {
    type: "application/proto",
    body: gzipSync(proto),
    headers: { "content-encoding": "gzip" },
  },
  "gRPC-Web with protobuf": { type: "application/grpc-web+proto", body: enveloped(proto) },
  "gRPC-Web with JSON": { type: "application/grpc-web+json", body: enveloped(json) },
  "gRPC-Web with compressed JSON": {
    type: "application/grpc-web+json",
    body: enveloped(gzipSync(json), 1),
    headers: { "grpc-encoding": "gzip" },
  },
};

describe.each([
  ["the fast path", true],
  ["connect's path", false],
])("on %s", (_, fastPath) => {
  let gateway: Gateway;
  beforeAll(async () => {
    const upstreams = {
      "rich.v1": { baseUrl: upstream.url, retry: false as const, breaker: false as const },
    };
    gateway = await startGateway({ adapters: [PlainServiceRest], upstreams, fastPath });
  });
  afterAll(() => gateway.close());

  async function post({ type, body, headers = {} }: Request): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/rich.v1.PlainService/EchoPlain`, {
      method: "POST",
      headers: { ...headers, "content-type": type },
      body: new Uint8Array(body),
    });
    const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    return `${JSON.stringify(Object.fromEntries(answer.headers))}\n${text}`;
  }

  test.each(Object.entries(REQUESTS))(
    "a message with hundreds of thousands of nested messages is rejected: %s",
    async (_name, request) => {
      const text = await post(request);
      expect(text).toContain(LIMIT);
      expect(text).toMatch(/resource_exhausted|grpc-status"?: ?"?8/);
      expect(await post({ type: "application/proto", body: small })).not.toMatch(/resource_exhausted|error/);
    },
  );

  test.each([
    ["a number with a million digits", `{"scalars":{"int64Value":${"1".repeat(SIZE)}}}`],
    ["a string with a million digits for a number", `{"scalars":{"int64Value":"${"1".repeat(SIZE)}"}}`],
  ])("the error for %s does not repeat the value", async (_name, text) => {
    const answer = await post({ type: "application/json", body: Buffer.from(text) });
    expect(answer).toContain(`has ${SIZE} characters; numbers have at most 1000 digits`);
    expect(answer).toContain("invalid_argument");
    expect(answer.length).toBeLessThan(2_000);
  });

  test("an error does not repeat a string of a million characters", async () => {
    const answer = await post({
      type: "application/json",
      body: Buffer.from(`{"wellKnown":{"any":{"@type":"${"a".repeat(SIZE)}"}}}`),
    });
    expect(answer.length).toBeLessThan(4_000);
  });

  test("a response with a million objects fails with an error that names the limit, and the next call succeeds", async () => {
    const call = { type: "application/json", body: Buffer.from("{}") };
    response = json.toString();
    expect(await post(call)).toContain("maxResponseCost, 1600000");
    response = `{"lists":{"int64Values":[9007199254740993,${"1e999,".repeat(100_000)}1]}}`;
    expect(await post(call)).toContain("UPSTREAM_BODY_TOO_COSTLY");
    response = '{"lists":{"int64Values":[9007199254740993]}}';
    expect(await post(call)).toContain('"9007199254740993"');
    response = "{}";
  });
});

test("an error lists at most a hundred violations, and fewer if they are large", async () => {
  const upstreams = { blog: { baseUrl: upstream.url, retry: false as const } };
  const gateway = await startGateway({ adapters: [PostServiceRest], upstreams });
  const violations = async (tags: number) => {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/blog.v1.PostService/CreatePost`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ blogIdentifier: "a", tags: Array(tags).fill("") }),
    });
    const { details } = (await answer.json()) as { details: { type: string; value: string }[] };
    const detail = details.find(({ type }) => type === "google.rpc.BadRequest");
    return fromBinary(BadRequestSchema, Buffer.from(detail?.value ?? "", "base64")).fieldViolations.length;
  };
  // One of the violations is the missing content.
  expect(await violations(10)).toBe(11);
  expect(await violations(1_000)).toBe(100);
  expect(await violations(50_000)).toBe(1);
  await gateway.close();
});
