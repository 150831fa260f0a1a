/** All services of the server: the catalog's adapter, and the desk. */
import { type ConnectRouter, createClient } from "@connectrpc/connect";
import type { Rest } from "connect-rest-runtime";
import { deskOf } from "./desk.ts";
import { CatalogService } from "./gen/catalog/v1/catalog_pb.ts";
import { DeskService } from "./gen/desk/v1/desk_pb.ts";

/** Returns the routes for a server, or for a test. */
export function routesOf(rest: Rest): (router: ConnectRouter) => void {
  const catalog = createClient(CatalogService, rest.transport);
  return (router) => {
    rest.routes(router);
    router.service(DeskService, deskOf(catalog));
  };
}
