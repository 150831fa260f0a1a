import { startGateway } from "connect-rest-gateway";
import { Secret } from "connect-rest-runtime";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer } from "node:http2";
import { PostServiceRest } from "../gen/blog/v1/post_rest.ts";
import { PostService } from "../gen/blog/v1/post_pb.ts";
const kind = process.argv[2];
let port: number;
if (kind === "gateway") {
  const gateway = await startGateway({ adapters: [PostServiceRest], upstreams: { blog: { bases: { api: process.argv[3]! }, credentials: { oauth2: { accessToken: new Secret("bench") } } } } });
  await gateway.warm; port = gateway.port;
} else {
  const server = createServer(connectNodeAdapter({ routes: (r) => r.service(PostService, { async uploadLegacyVideo(messages) { let n = 0n; for await (const m of messages) n += BigInt(m.chunk.length); return { id: n }; } }) }));
  await new Promise<void>((r) => server.listen(0, "127.0.0.1", r)); port = (server.address() as { port: number }).port;
}
process.on("message", () => { const { user, system } = process.cpuUsage(); process.send?.((user + system) / 1000); });
process.on("disconnect", () => process.exit());
process.send?.(port);
