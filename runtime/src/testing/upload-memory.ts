/**
 * A program for a separate process: `node upload-memory.ts <megabytes>` uploads this amount to a server in
 * another process, and downloads it again. Prints the number of transferred megabytes, and the growth of the
 * process in megabytes.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createRest } from "../rest.ts";
import { downloadAdapter, StreamService, uploadAdapter } from "./stream-service.ts";

const MEGABYTE = 1 << 20;

const [, program = "", megabytes, role] = process.argv;

if (role === "server") {
  serve(Number(megabytes));
} else {
  await main(Number(megabytes));
}

function serve(megabytes: number): void {
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      for (let sent = 0; sent < megabytes; sent++) {
        if (!response.write(Buffer.alloc(MEGABYTE))) await once(response, "drain");
      }
      response.end();
      return;
    }
    let received = 0;
    for await (const chunk of request) received += (chunk as Buffer).length;
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ id: Math.floor(received / MEGABYTE) }));
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function main(megabytes: number): Promise<void> {
  const server = fork(program, [String(megabytes), "server"]);
  const [port] = (await once(server, "message")) as [number];
  const rest = createRest({
    adapters: [{ service: StreamService, methods: { upload: uploadAdapter(), download: downloadAdapter() } }],
    upstreams: { things: { baseUrl: `http://127.0.0.1:${port}` } },
  });
  const client = createClient(StreamService, rest.transport);
  const before = process.memoryUsage.rss();
  const { id: uploaded } = await client.upload(chunks(megabytes * 16));
  let downloaded = 0;
  for await (const { data } of client.download({})) downloaded += data.length;
  const grown = process.memoryUsage.rss() - before;
  await rest.close();
  server.kill();
  process.stdout.write(
    JSON.stringify({
      uploaded: Number(uploaded),
      downloaded: downloaded / MEGABYTE,
      grown: Math.round(grown / MEGABYTE),
    }),
  );
}

async function* chunks(count: number) {
  for (let index = 0; index < count; index++) yield { part: "data", chunk: Buffer.alloc(MEGABYTE / 16, 1) };
}
