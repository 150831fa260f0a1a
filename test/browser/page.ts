/** A program for browsers that calls the gateway from a page, in modules without a bundler. */
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";

/** The results of all calls that use one transport. */
export interface Seen {
  /** The title of the blog `demo`. */
  readonly title: string;
  /** Headers of the response, from the gateway and the upstream. */
  readonly requestId: string | null;
  readonly remaining: string | null;
  /** The id of the newest post, as exact text. */
  readonly newest: string;
  /** The number of streamed posts before the page cancelled the stream. */
  readonly streamed: number;
  readonly cancelled: string;
  /** The code and the reason for a missing blog. */
  readonly missing: { readonly code: string; readonly reason: string; readonly requestId: string | null };
}

/** Calls the gateway in every way that browsers support. Sends the results or the first error to `report`. */
export async function run(gateway: string, report: string): Promise<void> {
  const seen = await seeAll(gateway).catch((error: unknown) => String(error));
  await fetch(report, { method: "POST", body: JSON.stringify(seen) });
}

async function seeAll(baseUrl: string): Promise<Record<string, Seen>> {
  const transports: Record<string, Transport> = {
    "Connect JSON": createConnectTransport({ baseUrl }),
    "Connect proto": createConnectTransport({ baseUrl, useBinaryFormat: true }),
    "Connect GET": createConnectTransport({ baseUrl, useHttpGet: true }),
    "gRPC-Web proto": createGrpcWebTransport({ baseUrl }),
    "gRPC-Web JSON": createGrpcWebTransport({ baseUrl, useBinaryFormat: false }),
  };
  const seen: Record<string, Seen> = {};
  for (const [way, transport] of Object.entries(transports)) seen[way] = await see(transport);
  return seen;
}

async function see(transport: Transport): Promise<Seen> {
  const blogs = createClient(BlogService, transport);
  const posts = createClient(PostService, transport);
  let header = new Headers();
  const onHeader = (received: Headers) => {
    header = received;
  };
  const { blog } = await blogs.getBlogInfo({ blogIdentifier: "demo" }, { onHeader });
  const page = await posts.listPosts({ blogIdentifier: "demo", limit: 1 });
  return {
    title: blog?.title ?? "",
    requestId: header.get("x-request-id"),
    remaining: header.get("x-ratelimit-perday-remaining"),
    newest: String(page.posts[0]?.id),
    missing: await missing(() => blogs.getBlogInfo({ blogIdentifier: "nobody" })),
    ...(await readThree(transport)),
  };
}

async function missing(call: () => Promise<unknown>): Promise<Seen["missing"]> {
  const error = ConnectError.from(await call().catch((reason: unknown) => reason));
  const [info] = error.findDetails(ErrorInfoSchema);
  return {
    code: Code[error.code] ?? "",
    reason: info?.reason ?? "",
    requestId: error.metadata.get("x-request-id"),
  };
}

async function readThree(transport: Transport): Promise<Pick<Seen, "streamed" | "cancelled">> {
  const abort = new AbortController();
  const request = { blogIdentifier: "demo" };
  let streamed = 0;
  try {
    for await (const _post of createClient(PostService, transport).streamPosts(request, {
      signal: abort.signal,
    })) {
      streamed++;
      if (streamed === 3) abort.abort();
    }
  } catch (error) {
    return { streamed, cancelled: Code[ConnectError.from(error).code] ?? "" };
  }
  return { streamed, cancelled: "" };
}
