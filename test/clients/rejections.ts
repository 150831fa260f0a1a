import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { EchoRequestSchema } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { GetBlogInfoRequestSchema } from "../../gen/blog/v1/blog_pb.ts";
import { ListPostsRequestSchema } from "../../gen/blog/v1/post_pb.ts";
import type { ClientCall } from "./call.ts";
import { FOREIGN_TEXT, type ServerName } from "./servers.ts";

export type ClientName = "grpcio" | "grpc-js" | "grpc-go";

/** The expected result of a call, as clients report it. */
export interface Rejection extends Omit<ClientCall, "target"> {
  readonly on: ServerName;
  /** The expected code; 0 if the call succeeds with one message. */
  readonly code: Code | 0;
  /** A part of the error text; undefined if the client makes up the text. */
  readonly text?: string | RegExp;
  /** The reason in the ErrorInfo detail; undefined if there is no such detail. */
  readonly reason?: string;
  /** Whether the details include a RetryInfo. */
  readonly hasRetryInfo?: boolean;
  /** The number of messages before the status. Default 0. */
  readonly responses?: number;
  /** The clients that can make this call. Default: all. */
  readonly clients?: readonly ClientName[];
}

type Kind = ClientCall["kind"];

/** The methods of the echo service, by the kind of call. */
const METHODS: Readonly<Record<Kind, string>> = {
  unary: "/echo.v1.EchoService/Echo",
  serverStream: "/echo.v1.EchoService/Repeat",
  clientStream: "/echo.v1.EchoService/Join",
  bidiStream: "/echo.v1.EchoService/Talk",
};
const KINDS = Object.keys(METHODS) as Kind[];

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");
const echo = (text: string, count = 1) =>
  base64(toBinary(EchoRequestSchema, create(EchoRequestSchema, { text, count })));
const info = (blogIdentifier: string) =>
  base64(toBinary(GetBlogInfoRequestSchema, create(GetBlogInfoRequestSchema, { blogIdentifier })));
const posts = (blogIdentifier: string) =>
  base64(toBinary(ListPostsRequestSchema, create(ListPostsRequestSchema, { blogIdentifier })));

/** Returns the same row for each kind of call. */
function everyKind(
  row: Omit<Rejection, "kind" | "path" | "messages"> & { readonly message?: string },
  kinds: readonly Kind[] = KINDS,
): Rejection[] {
  const { message = echo("a"), ...rest } = row;
  return kinds.map((kind) => ({
    ...rest,
    name: `${row.name}, ${kind}`,
    kind,
    path: METHODS[kind],
    messages: [message],
  }));
}

const STREAMS = ["serverStream", "clientStream", "bidiStream"] as const;
const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x-${index}`, "1"]));

/** The number of attempts with `RETRIES`. */
export const ATTEMPTS = 3;

/** A service config that retries temporary rejections. grpcio needs a longer backoff. */
const RETRIES = JSON.stringify({
  methodConfig: [
    {
      name: [{}],
      retryPolicy: {
        maxAttempts: ATTEMPTS,
        initialBackoff: "0.1s",
        maxBackoff: "0.1s",
        backoffMultiplier: 1,
        retryableStatusCodes: ["UNAVAILABLE"],
      },
    },
  ],
});

const blog = (method: string) => `/blog.v1.BlogService/${method}`;

/** Every reason for rejecting a call, and upstream failures that carry a reason. */
export const REFUSALS: readonly Rejection[] = [
  ...everyKind({ name: "no rejection", on: "plain", code: 0, responses: 1 }),
  ...everyKind({ name: "no rejection, by gzip", on: "plain", compression: "gzip", code: 0, responses: 1 }),
  ...KINDS.map(
    (kind): Rejection => ({
      name: `an unknown method, ${kind}`,
      on: "plain",
      kind,
      path: "/echo.v1.EchoService/None",
      messages: [echo("a")],
      code: Code.Unimplemented,
      text: "echo.v1.EchoService",
      reason: "METHOD_UNKNOWN",
    }),
  ),
  {
    name: "an unknown service",
    on: "plain",
    kind: "unary",
    path: "/a.B/C",
    messages: [echo("a")],
    code: Code.Unimplemented,
    text: "a.B",
    reason: "METHOD_UNKNOWN",
  },
  ...everyKind({
    name: "malformed protobuf",
    on: "plain",
    message: base64("junk"),
    code: Code.InvalidArgument,
    text: /./,
    reason: "REQUEST_MALFORMED",
  }),
  ...everyKind({
    name: "a message against its constraints",
    on: "plain",
    message: echo("a", -1),
    code: Code.InvalidArgument,
    text: "count",
    reason: "REQUEST_INVALID",
  }),
  ...everyKind({
    name: "a message beyond the limit",
    on: "plain",
    message: echo("a".repeat(70_000)),
    code: Code.ResourceExhausted,
    text: /65536|64 KiB/,
    reason: "REQUEST_TOO_LARGE",
  }),
  ...everyKind({
    name: "a message far beyond the limit",
    on: "plain",
    message: echo("a".repeat(5_000_000)),
    code: Code.ResourceExhausted,
    text: /65536|64 KiB/,
    reason: "REQUEST_TOO_LARGE",
  }),
  ...everyKind({
    name: "a message beyond the limit, once it is decompressed",
    on: "plain",
    compression: "gzip",
    message: echo("a".repeat(5_000_000)),
    code: Code.ResourceExhausted,
    text: /65536|64 KiB/,
    reason: "REQUEST_TOO_LARGE",
  }),
  ...everyKind(
    {
      name: "a response beyond the limit",
      on: "plain",
      message: echo("a".repeat(20_000)),
      code: Code.ResourceExhausted,
      text: "16384",
      reason: "RESPONSE_TOO_LARGE",
    },
    KINDS,
  ),
  ...everyKind({
    name: "headers beyond the limit",
    on: "plain",
    metadata: { x: "x".repeat(20_000) },
    code: Code.ResourceExhausted,
    text: "headerBytes",
    reason: "REQUEST_TOO_LARGE",
  }),
  ...everyKind({
    name: "too many headers",
    on: "plain",
    metadata: many,
    code: Code.ResourceExhausted,
    text: "headerCount",
    reason: "REQUEST_TOO_LARGE",
  }),
  ...everyKind({
    name: "an unknown codec",
    on: "plain",
    codec: "yaml",
    code: Code.Unimplemented,
    text: "application/grpc+yaml",
    reason: "PROTOCOL_UNSUPPORTED",
    clients: ["grpc-go"],
  }),
  ...everyKind({
    name: "an unknown compression",
    on: "plain",
    compression: "unknown",
    code: Code.Unimplemented,
    text: "unknown",
    reason: "PROTOCOL_UNSUPPORTED",
    clients: ["grpc-go"],
  }),
  ...everyKind(
    {
      name: "a deadline of the gateway",
      on: "slow",
      code: Code.DeadlineExceeded,
      text: "no response within 500 ms",
      reason: "DEADLINE_EXCEEDED",
    },
    ["unary", "clientStream", "bidiStream"],
  ),
  ...everyKind(
    {
      name: "a deadline of the gateway behind a message",
      on: "slow",
      code: Code.DeadlineExceeded,
      text: "no response within 500 ms",
      reason: "DEADLINE_EXCEEDED",
      responses: 1,
    },
    ["serverStream"],
  ),
  ...everyKind({ name: "a deadline of the client", on: "slow", timeoutMs: 10, code: Code.DeadlineExceeded }, [
    "unary",
    "clientStream",
    "bidiStream",
  ]),
  ...everyKind({
    name: "an overloaded process",
    on: "overloaded",
    code: Code.Unavailable,
    text: "heapPercent",
    reason: "OVERLOADED",
    hasRetryInfo: true,
  }),
  ...everyKind(
    {
      name: "an overloaded process, with retries",
      on: "overloaded",
      config: RETRIES,
      code: Code.Unavailable,
      text: "heapPercent",
      reason: "OVERLOADED",
      hasRetryInfo: true,
    },
    ["unary"],
  ),
  ...everyKind({
    name: "too many calls of one client",
    on: "greedy",
    code: Code.ResourceExhausted,
    text: "callsPerClient",
    reason: "CALLS_EXCEEDED",
    hasRetryInfo: true,
  }),
  ...everyKind({
    name: "a long wait",
    on: "queued",
    code: Code.Unavailable,
    text: "queueTimeoutMs",
    reason: "OVERLOADED",
    hasRetryInfo: true,
  }),
  ...everyKind({
    name: "a long queue",
    on: "full",
    code: Code.Unavailable,
    text: "queuedCalls",
    reason: "OVERLOADED",
    hasRetryInfo: true,
  }),
  ...everyKind({
    name: "a crowd",
    on: "crowded",
    code: Code.Unavailable,
    text: /./,
    reason: "OVERLOADED",
  }),
  ...STREAMS.flatMap((kind) =>
    everyKind(
      {
        name: "a shutdown",
        on: (
          {
            serverStream: "drainingServer",
            clientStream: "drainingClient",
            bidiStream: "drainingBidi",
          } as const
        )[kind],
        code: Code.Unavailable,
        text: "the gateway is shutting down",
        reason: "SHUTTING_DOWN",
        responses: kind === "serverStream" ? 1 : 0,
      },
      [kind],
    ),
  ),
  {
    name: "an error of an upstream",
    on: "gateway",
    kind: "unary",
    path: blog("GetBlogInfo"),
    messages: [info("nobody")],
    code: Code.NotFound,
    text: "upstream blog responded with 404 Not Found",
    reason: "BLOG_NOT_FOUND",
  },
  {
    name: "an error of an upstream before a stream",
    on: "gateway",
    kind: "serverStream",
    path: "/blog.v1.PostService/StreamPosts",
    messages: [posts("nobody")],
    code: Code.NotFound,
    text: "upstream blog responded with 404 Not Found",
    reason: "BLOG_OR_POST_NOT_FOUND",
  },
  {
    name: "an error of an upstream that says when to retry",
    on: "gateway",
    kind: "unary",
    path: blog("GetBlogInfo"),
    messages: [info("busy")],
    code: Code.ResourceExhausted,
    text: "429",
    reason: "TOO_MANY_REQUESTS",
    hasRetryInfo: true,
  },
  {
    name: "an upstream that is away",
    on: "gateway",
    kind: "unary",
    path: blog("GetBlogInfo"),
    messages: [info("away")],
    code: Code.Unavailable,
    text: "503",
    reason: "SERVICE_UNAVAILABLE",
  },
  {
    name: "a text of an upstream beyond ASCII",
    on: "gateway",
    kind: "unary",
    path: blog("GetBlogInfo"),
    messages: [info("foreign")],
    code: Code.NotFound,
    text: FOREIGN_TEXT,
    reason: "BLOG_NOT_FOUND",
  },
  {
    name: "a message against the constraints of an API",
    on: "gateway",
    kind: "unary",
    path: blog("GetBlogInfo"),
    messages: [info("a blog")],
    code: Code.InvalidArgument,
    text: "a blog is named by",
    reason: "REQUEST_INVALID",
  },
];
