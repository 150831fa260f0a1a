/**
 * A hand-written server: connect-node and undici's fetch with their defaults, with one port per version of
 * HTTP.
 */
import http from "node:http";
import http2 from "node:http2";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Agent, fetch, RetryAgent } from "undici";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { type ListPostsRequest, PostService } from "../../gen/blog/v1/post_pb.ts";
import { readPage } from "../hand-written.ts";
import { deaf, readSettings } from "../reliability/settings.ts";
import { listenLocally } from "./child.ts";
import { answerParent } from "./questions.ts";

const { upstream, retries = false, http2: isHttp2 = false } = readSettings(process.argv[2]);
// The default number of retries with shorter delays.
const dispatcher = retries ? new RetryAgent(new Agent(), { minTimeout: 1, maxTimeout: 10 }) : new Agent();

async function listPosts({ limit = 20 }: ListPostsRequest, { signal }: HandlerContext) {
  const response = await fetch(`${upstream}/v2/blog/demo/posts?limit=${limit}`, { signal, dispatcher });
  const text = await response.text();
  if (!response.ok) throw new ConnectError(`status ${response.status}`, Code.Unavailable);
  return readPage(text);
}

function routes(router: ConnectRouter): void {
  router.service(PostService, { listPosts });
  router.service(BlogService, { getBlogInfo: deaf });
}

const handler = connectNodeAdapter({ routes });
answerParent(await listenLocally(isHttp2 ? http2.createServer(handler) : http.createServer(handler)));
