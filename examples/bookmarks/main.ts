/** Creates, lists, changes and deletes bookmarks, without a gateway. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { BookmarkService } from "./gen/bookmarks/v1/bookmarks_pb.ts";
import { BookmarkServiceRest } from "./gen/bookmarks/v1/bookmarks_rest.ts";

const baseUrl = process.env.BOOKMARKS_URL ?? "http://127.0.0.1:9090";
const transport = createRestTransport({
  adapters: [BookmarkServiceRest],
  upstreams: { bookmarks: { baseUrl } },
});
const client = createClient(BookmarkService, transport);
const print = (line: string) => process.stdout.write(`${line}\n`);

for (const name of ["connect", "grpc", "protobuf"]) {
  const { bookmark } = await client.createBookmark({
    bookmark: { url: `https://${name}.example`, title: name, tags: ["rpc"] },
  });
  print(`created ${bookmark?.id} ${bookmark?.url}`);
}
const { bookmark } = await client.updateBookmark({
  bookmark: { id: 2n, title: "gRPC" },
  updateMask: { paths: ["title"] },
});
print(`changed ${bookmark?.id} ${bookmark?.title} ${bookmark?.url}`);
await client.deleteBookmark({ id: 1n });
for await (const { id, title } of client.listBookmarks({})) {
  print(`listed ${id} ${title}`);
}
try {
  await client.getBookmark({ id: 1n });
} catch (error) {
  if (ConnectError.from(error).code !== Code.NotFound) throw error;
  print(ConnectError.from(error).message);
}
await transport.close();
