/** The server's own service, which calls the catalog. */
import { type Client, Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { CatalogService } from "./gen/catalog/v1/catalog_pb.ts";
import type { DeskService } from "./gen/desk/v1/desk_pb.ts";

/** Implements the desk with a client of the catalog. */
export function deskOf(catalog: Client<typeof CatalogService>): ServiceImpl<typeof DeskService> {
  return {
    async suggestBook({ isbns }, { signal }) {
      for (const isbn of isbns) {
        const { title, available } = await catalog.getBook({ isbn }, { signal });
        if (available > 0) return { title };
      }
      throw new ConnectError("none of the books is available", Code.NotFound);
    },
  };
}
