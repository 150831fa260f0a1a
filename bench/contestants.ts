import { create, equals, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import {
  ListPostsRequestSchema,
  type ListPostsResponse,
  ListPostsResponseSchema,
} from "../gen/blog/v1/post_pb.ts";
import { readPage } from "./hand-written.ts";
import type { Target } from "./load/connection.ts";
import { isUsual, isWanted, type Options, type Part } from "./options.ts";
import { PAGES, type Page } from "./pages.ts";
import type { Response } from "./response.ts";
import { checkTranscoded } from "./transcoded.ts";

/** The measured processes. */
export type ServerName =
  | "proxy"
  | "inflating-proxy"
  | "hand-written"
  | "go-handler"
  | "go-transcoder"
  | "gateway"
  | "gateway-again";

/** Servers that serve the method as an RPC. */
type RpcServer = Exclude<ServerName, "proxy" | "inflating-proxy">;

/** A way to call one of the servers. */
export interface Contestant {
  /** The name in tables and for `--only`. */
  readonly name: string;
  readonly server: ServerName;
  /** A description of the encoding; undefined for servers with only one encoding. */
  readonly encoding?: string;
  readonly protocol: Target["protocol"];
  /** The request for a page. */
  readonly request: (page: Page) => Omit<Target, "protocol" | "port">;
  /** Returns the error in a response's body; undefined if the body is correct. */
  readonly check: (body: Uint8Array, page: Page) => string | undefined;
}

/** A method and its expected response. */
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
    // Trailers follow the message in a separate frame.
    decode: (body) => ({ bytes: body.subarray(5, 5 + Buffer.from(body).readUInt32BE(1)) }),
  },
];

/** Returns an uncompressed message with its length prefix. */
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

/** Requires the message of the hand-written page, with exact identifiers. */
const whole: Method = {
  path: PATH,
  check: (response, page) => difference(messageOf(response), readPage(page.json), page),
};

/** Requires the same message without unknown keys. */
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

const METHODS: Readonly<Record<RpcServer, Method>> = {
  "hand-written": whole,
  "go-handler": withoutUnknown,
  "go-transcoder": { path: "/bench.v1.PostService/ListPosts", check: checkTranscoded },
  gateway: whole,
  "gateway-again": whole,
};

function rpc(server: RpcServer, encoding: Encoding): Contestant {
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

/** The lower bound, and the reference for all contestants. */
export const BASELINE = proxy;

/** The lower bound for compressed pages: a proxy that inflates responses before it forwards them. */
export const INFLATING_BASELINE: Contestant = {
  ...proxy,
  name: "inflating proxy",
  server: "inflating-proxy",
  check: (body, { json }) =>
    Buffer.from(json).equals(body) ? undefined : "it is not the inflated response of the upstream",
};

/** Contestants that need Go. */
export const GO_PROGRAMS: ReadonlyMap<ServerName, string> = new Map([
  ["go-handler", "handler"],
  ["go-transcoder", "transcoder"],
]);

const allOf = (...servers: RpcServer[]): Contestant[] =>
  servers.flatMap((server) => ENCODINGS.map((encoding) => rpc(server, encoding)));

/** The gateway, called by every protocol. */
export const GATEWAY = allOf("gateway");

/** All contestants. */
export const CONTESTANTS: readonly Contestant[] = [
  proxy,
  ...allOf("hand-written", "go-handler", "go-transcoder"),
  ...GATEWAY,
];

/** The gateway in two processes: the difference between the two is the measurement error. */
export const SELF: readonly Contestant[] = [proxy, ...GATEWAY, ...allOf("gateway-again")];

/** A way to call the gateway for a page. */
export interface GatewayCall {
  readonly contestant: Contestant;
  readonly page: Page;
}

/** Returns the calls of the gateway that the options select for a part: by default, the usual ones. */
export function selectedCalls(options: Options, part: Part, usual: readonly string[]): GatewayCall[] {
  const nameOf = ({ contestant, page }: GatewayCall) => `${contestant.name} ${page.label}`;
  const named = GATEWAY.flatMap((contestant) => PAGES.map((page) => ({ contestant, page }))).filter((call) =>
    isWanted(options, `${part} ${nameOf(call)}`),
  );
  return isUsual(options, part) ? named.filter((call) => usual.includes(nameOf(call))) : named;
}
