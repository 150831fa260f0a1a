/** `npm run bench -- upload`: sends a 500 MB video through the gateway, and measures its memory. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { PostService } from "../gen/blog/v1/post_pb.ts";

const MEGABYTE = 1 << 20;
const CHUNK = 64 * 1024;

/** The figures of an upload. */
export interface UploadFigures {
  /** The number of MB that the upstream received: the video and a small overhead. */
  readonly received: number;
  readonly seconds: number;
  /** The largest growth of the gateway's resident memory, in MB. */
  readonly grown: number;
}

/** Uploads a video in chunks of 64 KiB, as gRPC, and monitors the memory of the gateway's process. */
export async function measureUpload(megabytes = 500): Promise<UploadFigures> {
  const [sink, upstreamPort] = await start("upload-sink");
  const [gateway, port] = await start("upload-gateway", [`http://127.0.0.1:${upstreamPort}`]);
  try {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` });
    const { uploadLegacyVideo } = createClient(PostService, transport);
    const before = await memoryOf(gateway);
    let peak = before;
    async function* chunks() {
      yield { blogIdentifier: "bench", contentType: "video/mp4", filename: "bench.mp4" };
      for (let sent = 0; sent < megabytes * MEGABYTE; sent += CHUNK) {
        if (sent % (8 * MEGABYTE) === 0) peak = Math.max(peak, await memoryOf(gateway));
        yield { chunk: new Uint8Array(CHUNK) };
      }
    }
    const startedAt = performance.now();
    const { id } = await uploadLegacyVideo(chunks());
    const seconds = (performance.now() - startedAt) / 1000;
    peak = Math.max(peak, await memoryOf(gateway));
    return { received: Number(id) / MEGABYTE, seconds, grown: (peak - before) / MEGABYTE };
  } finally {
    gateway.disconnect();
    sink.disconnect();
  }
}

/** Formats the figures as a line. */
export function uploadLine({ received, seconds, grown }: UploadFigures): string {
  const rate = received / seconds;
  return `upload: ${received.toFixed(0)} MB in ${seconds.toFixed(1)} s (${rate.toFixed(0)} MB/s); the gateway grew by ${grown.toFixed(0)} MB`;
}

async function start(name: string, args: readonly string[] = []): Promise<[ChildProcess, number]> {
  const child = fork(path.join(import.meta.dirname, `servers/${name}.ts`), args);
  const [port] = (await once(child, "message")) as [number];
  return [child, port];
}

async function memoryOf(child: ChildProcess): Promise<number> {
  const response = once(child, "message");
  child.send("memory");
  const [bytes] = (await response) as [number];
  return bytes;
}
