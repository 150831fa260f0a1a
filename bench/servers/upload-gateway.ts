/** The gateway with its defaults, for uploads. Reports its memory to its parent. */

import { startGateway } from "connect-rest-gateway";
import { Secret } from "connect-rest-runtime";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { upstreamArgument } from "./child.ts";

const gateway = await startGateway({
  adapters: [PostServiceRest],
  upstreams: {
    blog: {
      bases: { api: upstreamArgument() },
      credentials: { oauth2: { accessToken: new Secret("bench") } },
    },
  },
});
await gateway.warm;

process.on("message", () => process.send?.(process.memoryUsage.rss()));
process.on("disconnect", () => process.exit());
process.send?.(gateway.port);
