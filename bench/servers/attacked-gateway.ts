/**
 * A gateway with its defaults. Arguments: the upstream, and the service that the gateway offers in addition
 * to posts.
 */
import { type GatewayOptions, startGateway } from "connect-rest-gateway";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { feedService } from "../../runtime/src/testing/feed-service.ts";
import { authorizationOptions } from "../../test/support/authorized-gateway.ts";
import type { Served } from "../attacks/attack.ts";
import { upstreamArgument } from "./child.ts";
import { answerParent } from "./questions.ts";

const baseUrl = upstreamArgument();
const blog = { baseUrl, credentials: { apiKey: "bench" } } as const;
const posts = { adapters: [PostServiceRest], upstreams: { blog } };

const SERVED: Readonly<Record<Served, GatewayOptions>> = {
  posts,
  feeds: { adapters: [PostServiceRest, feedService()], upstreams: { blog, things: { baseUrl } } },
  authorization: {
    ...posts,
    hosts: ["gateway.test", "127.0.0.1"],
    proxies: { trusted: ["127.0.0.1"] },
    authorization: authorizationOptions({ scopes: [{ name: "posts", methods: ["blog.v1.PostService"] }] }),
  },
};

const gateway = await startGateway(SERVED[process.argv[3] as Served]);
await gateway.warm;
answerParent(gateway.port);
