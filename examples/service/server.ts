/** Serves the desk and the catalog as Connect and gRPC-Web. With `node:http2`, it also serves gRPC. */
import { createServer } from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createRest, Secret } from "connect-rest-runtime";
import { CatalogServiceRest } from "./gen/catalog/v1/catalog_rest.ts";
import { routesOf } from "./routes.ts";

const rest = createRest({
  adapters: [CatalogServiceRest],
  upstreams: {
    catalog: {
      baseUrl: process.env.CATALOG_URL ?? "http://127.0.0.1:9090",
      credentials: { apiKey: new Secret(process.env.CATALOG_KEY ?? "") },
    },
  },
});
const server = createServer(connectNodeAdapter({ routes: routesOf(rest) }));
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  process.stdout.write(`desk ready ${JSON.stringify(server.address())}\n`);
});
process.once("SIGTERM", () => server.close(() => void rest.close()));
