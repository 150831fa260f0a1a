import { create, equals, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import { ListPostsRequestSchema, ListPostsResponseSchema } from "../gen/blog/v1/post_pb.ts";
import { readPage } from "./hand-written.ts";
import type { Target } from "./load/connection.ts";
import type { Page } from "./pages.ts";

/** The processes that are measured, by the file names of their modules. */
export type ServerName = "proxy" | "hand-written" | "gateway";

/** One way to call one of the servers. */
export interface Contestant {
  /** As tables and `--only` name it. */
  readonly name: string;
  readonly server: ServerName;
  readonly protocol: Target["protocol"];
  /** The request for a page. */
  readonly request: (page: Page) => Omit<Target, "protocol" | "port">;
  /** What is wrong with the body of an response; undefined when it is right. */
  readonly check: (body: Uint8Array, page: Page) => string | undefined;
}

const PATH = "/blog.v1.PostService/ListPosts";

interface Encoding {
  readonly name: string;
  readonly protocol: Target["protocol"];
  readonly headers: Target["headers"];
  readonly encode: (page: Page) => Uint8Array;
  readonly decode: (body: Uint8Array) => ReturnType<typeof readPage>;
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
    decode: (body) => fromBinary(ListPostsResponseSchema, body),
  },
  {
    name: "Connect JSON",
    protocol: "http1",
    headers: [
      ["content-type", "application/json"],
      ["connect-protocol-version", "1"],
    ],
    encode: (page) => Buffer.from(toJsonString(ListPostsRequestSchema, requestFor(page))),
    decode: (body) => fromJsonString(ListPostsResponseSchema, Buffer.from(body).toString()),
  },
  {
    name: "gRPC",
    protocol: "http2",
    headers: [
      ["content-type", "application/grpc+proto"],
      ["te", "trailers"],
    ],
    encode: (page) => enveloped(toBinary(ListPostsRequestSchema, requestFor(page))),
    decode: (body) => fromBinary(ListPostsResponseSchema, body.subarray(5)),
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
    decode: (body) =>
      fromBinary(ListPostsResponseSchema, body.subarray(5, 5 + Buffer.from(body).readUInt32BE(1))),
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
  check: (body, { json }) => (Buffer.from(json).equals(body) ? undefined : "it is not the upstream's"),
};

function rpc(server: ServerName, { name, protocol, headers, encode, decode }: Encoding): Contestant {
  return {
    name: `${server} ${name}`,
    server,
    protocol,
    request: (page) => ({ method: "POST", path: PATH, headers, body: encode(page) }),
    check: (body, page) => {
      const message = decode(body);
      const exact = message.posts.every(({ id }, index) => id === page.ids[index]);
      if (!exact || message.posts.length !== page.posts) return "its ids are not those of the page";
      return equals(ListPostsResponseSchema, message, readPage(page.json))
        ? undefined
        : "it has another content";
    },
  };
}

/** The lower bound, with which everything is compared. */
export const BASELINE = proxy;

/** Everything that is measured. */
export const CONTESTANTS: readonly Contestant[] = [
  proxy,
  ...ENCODINGS.map((encoding) => rpc("hand-written", encoding)),
  ...ENCODINGS.map((encoding) => rpc("gateway", encoding)),
];
