/** The upstream for uploads. Discards a body, and responds with the number of bytes as the id. */
import { createServer } from "node:http";
import { listenLocally } from "./child.ts";

const server = createServer(async (request, response) => {
  let received = 0;
  for await (const chunk of request) received += (chunk as Buffer).length;
  response.writeHead(201, { "content-type": "application/json" });
  response.end(`{"meta":{"status":201,"msg":"Created"},"response":{"id_string":"${received}"}}`);
});

process.on("disconnect", () => process.exit());
process.send?.(await listenLocally(server));
