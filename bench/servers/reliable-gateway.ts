/**
 * The gateway with its defaults and the settings in the first argument. BlogService has a handler that never
 * responds.
 */
import { startGateway } from "connect-rest-gateway";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { deaf, readSettings } from "../reliability/settings.ts";
import { answerParent } from "./questions.ts";

const { upstream, limits = {}, options } = readSettings(process.argv[2]);
const gateway = await startGateway({
  adapters: [PostServiceRest],
  upstreams: { blog: { baseUrl: upstream, credentials: { apiKey: "bench" }, ...options } },
  routes: (router) => router.service(BlogService, { getBlogInfo: deaf }),
  limits,
});
await gateway.warm;

answerParent(gateway.port);
