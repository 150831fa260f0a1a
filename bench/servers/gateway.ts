/** What is measured: the gateway with its defaults, and without a log as the baselines have none. */
import { Secret } from "connect-rest";
import { startGateway } from "connect-rest-gateway";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { serveParent, upstreamArgument } from "./child.ts";

const gateway = await startGateway({
  adapters: [PostServiceRest],
  upstreams: { blog: { bases: { api: upstreamArgument() }, credentials: { apiKey: new Secret("bench") } } },
});
await gateway.warm;

serveParent({ http1: gateway.port, http2: gateway.port });
