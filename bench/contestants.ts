import { create, equals, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import {
  ListPostsRequestSchema,
  type ListPostsResponse,
  ListPostsResponseSchema,
} from "../gen/blog/v1/post_pb.ts";
import { readPage } from "./hand-written.ts";
import type { Target } from "./load/connection.ts";
import type { Page } from "./pages.ts";
import type { Response } from "./response.ts";
import { checkTranscoded } from "./transcoded.ts";

/** The processes that are measured. */
export type ServerName =
  | "proxy"
  | "hand-written"
  | "go-handler"
  | "go-transcoder"
  | "gateway"
  | "gateway-again";

/** One way to call one of the servers. */
export interface Contestant {
  /** As tables and `--only` name it. */
  readonly name: string;
  readonly server: ServerName;
  /** How it is called, in words; undefined where there is only one way. */
  readonly encoding?: string;
  readonly protocol: Target["protocol"];
  /** The request for a page. */
  readonly request: (page: Page) => Omit<Target, "protocol" | "port">;
  /** What is wrong with the body of a response; undefined when it is right. */
  readonly check: (body: Uint8Array, page: Page) => string | undefined;
}

/** What is called, and what its response must be. */
interface Method {
  readonly path: string;
  readonly check: (response: Response, page: Page) => string | undefined;
}

interface Encoding {
  readonly name: string;
  readonly protocol: Target["protocol"];
  readonly headers: Target["headers"];
  readonly encode: (page: Page) => Uint8Array;
  readonly decode: (body: Uint8Array) => Response;
}

const requestFor = (page: Page) =>
  create(ListPostsRequestSchema, { blogIdentifier: "demo", offset: page.offset });

const ENCODINGS: readonly Encoding[] = [
  {
    name: "Connect proto",
    protocol: "http1",
    headers: [
      ["content-type", "application/proto"],
      ["connect-protocol-version", "1"],
    ],
    encode: (page) => toBinary(ListPostsRequestSchema, requestFor(page)),
    decode: (body) => ({ bytes: body }),
  },
  {
    name: "Connect JSON",
    protocol: "http1",
    headers: [
      ["content-type", "application/json"],
      ["connect-protocol-version", "1"],
    ],
    encode: (page) => Buffer.from(toJsonString(ListPostsRequestSchema, requestFor(page))),
    decode: (body) => ({ json: Buffer.from(body).toString() }),
  },
  {
    name: "gRPC",
    protocol: "http2",
    headers: [
      ["content-type", "application/grpc+proto"],
      ["te", "trailers"],
    ],
    encode: (page) => enveloped(toBinary(ListPostsRequestSchema, requestFor(page))),
    decode: (body) => ({ bytes: body.subarray(5) }),
  },
  {
    name: "gRPC-Web",
    protocol: "http1",
    headers: [
      ["content-type", "application/grpc-web+proto"],
      ["x-grpc-web", "1"],
    ],
    encode: (page) => enveloped(toBinary(ListPostsRequestSchema, requestFor(page))),
    // trailers follow, in a frame of their own
    decode: (body) => ({ bytes: body.subarray(5, 5 + Buffer.from(body).readUInt32BE(1)) }),
  },
];

/** A message behind its length, not compressed. */
function enveloped(message: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(5 + message.length);
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, 5);
  return bytes;
}

const proxy: Contestant = {
  name: "proxy",
  server: "proxy",
  protocol: "http1",
  request: ({ offset }) => ({
    method: "GET",
    path: `/v2/blog/demo/posts?offset=${offset}`,
    headers: [],
    body: new Uint8Array(),
  }),
  check: (body, { json, gzip = Buffer.from(json) }) =>
    Buffer.from(gzip).equals(body) ? undefined : "it is not the upstream's",
};

const PATH = "/blog.v1.PostService/ListPosts";

/** The same message as the page by hand, with all identifiers exact. */
const whole: Method = {
  path: PATH,
  check: (response, page) => difference(messageOf(response), readPage(page.json), page),
};

/** The same, but that nothing of keys without a field is kept. */
const withoutUnknown: Method = {
  path: PATH,
  check: (response, page) => {
    const expected = readPage(page.json);
    for (const post of expected.posts) post.unknownFields = {};
    return difference(messageOf(response), expected, page);
  },
};

function messageOf(response: Response): ListPostsResponse {
  return "json" in response
    ? fromJsonString(ListPostsResponseSchema, response.json)
    : fromBinary(ListPostsResponseSchema, response.bytes);
}

function difference(message: ListPostsResponse, expected: ListPostsResponse, page: Page): string | undefined {
  const exact = message.posts.every(({ id }, index) => id === page.ids[index]);
  if (!exact || message.posts.length !== page.posts) return "its ids are not those of the page";
  return equals(ListPostsResponseSchema, message, expected) ? undefined : "it has another content";
}

const METHODS: Readonly<Record<Exclude<ServerName, "proxy">, Method>> = {
  "hand-written": whole,
  "go-handler": withoutUnknown,
  "go-transcoder": { path: "/bench.v1.PostService/ListPosts", check: checkTranscoded },
  gateway: whole,
  "gateway-again": whole,
};

function rpc(server: Exclude<ServerName, "proxy">, encoding: Encoding): Contestant {
  const { name, protocol, headers, encode, decode } = encoding;
  const { path, check } = METHODS[server];
  return {
    name: `${server} ${name}`,
    server,
    encoding: name,
    protocol,
    request: (page) => ({ method: "POST", path, headers, body: encode(page) }),
    check: (body, page) => check(decode(body), page),
  };
}

/** The lower bound, with which everything is compared. */
export const BASELINE = proxy;

/** Those that need Go. */
export const GO_PROGRAMS: ReadonlyMap<ServerName, string> = new Map([
  ["go-handler", "handler"],
  ["go-transcoder", "transcoder"],
]);

const allOf = (...servers: Exclude<ServerName, "proxy">[]): Contestant[] =>
  servers.flatMap((server) => ENCODINGS.map((encoding) => rpc(server, encoding)));

/** The gateway by every protocol. */
export const GATEWAY = allOf("gateway");

/** Everything that is measured. */
export const CONTESTANTS: readonly Contestant[] = [
  proxy,
  ...allOf("hand-written", "go-handler", "go-transcoder"),
  ...GATEWAY,
];

/**
 * The gateway, and a second process of the same: what differs between them is the error of the instrument.
 */
export const SELF: readonly Contestant[] = [proxy, ...GATEWAY, ...allOf("gateway-again")];
