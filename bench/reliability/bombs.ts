import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import zlib from "node:zlib";
import { call, PAGE } from "./call.ts";
import type { Figure } from "./figure.ts";
import { HEAPS, Subject, sendJson, startUpstream, withHeap } from "./world.ts";

const MB = 1 << 20;

/**
 * The decompressed size: large enough to measure, and small enough for the memory of a server without a
 * limit.
 */
const UNPACKED_MB = 256;

/** Measures the memory growth of servers when a small compressed body decompresses to 256 MB. */
export async function measureBombs(): Promise<Figure[]> {
  const bomb = await packed();
  const headers = { "content-encoding": "br", "content-type": "application/json" };
  const fromClient: Grow = (name, heapMb) =>
    grown(name, heapMb, undefined, (port) =>
      call(port, { body: bomb, headers: { "content-encoding": "br" } }),
    );
  const fromUpstream: Grow = (name, heapMb) => grown(name, heapMb, { bomb, headers }, (port) => call(port));
  const figures: Figure[] = [];
  for (const heapMb of HEAPS) {
    figures.push(await figure(" client", bomb, heapMb, fromClient));
    figures.push(await figure("n upstream", bomb, heapMb, fromUpstream));
  }
  return figures;
}

type Name = "reliable-gateway" | "bare";

type Grow = (name: Name, heapMb: number | undefined) => Promise<number>;

/** The bomb is compressed in chunks, because a process inherits its parent's memory peak. */
function packed(): Promise<Buffer> {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 5, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 };
  const spaces = Buffer.alloc(MB, " ");
  const pieces = Readable.from(Array.from({ length: UNPACKED_MB }, () => spaces));
  return buffer(pieces.pipe(zlib.createBrotliCompress({ params })));
}

async function figure(peer: string, bomb: Buffer, heapMb: number | undefined, grow: Grow): Promise<Figure> {
  const name = `memory for ${bomb.length} bytes from a${peer} that unpack to ${UNPACKED_MB} MB`;
  return {
    name: withHeap(name, heapMb),
    unit: "MB",
    value: await grow("reliable-gateway", heapMb),
    bound: { atMost: 48 },
    beside: { bare: await grow("bare", heapMb) },
  };
}

interface Bomb {
  readonly bomb: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

async function grown(
  name: Name,
  heapMb: number | undefined,
  answered: Bomb | undefined,
  act: (port: number) => Promise<unknown>,
): Promise<number> {
  let armed = false;
  await using upstream = await startUpstream((_, response) => {
    if (armed && answered !== undefined) {
      response.writeHead(200, answered.headers).end(answered.bomb);
    } else {
      sendJson(response, 200, PAGE);
    }
  });
  await using subject = await Subject.start(name, {
    upstream: upstream.url,
    ...(heapMb !== undefined && { heapMb }),
  });
  // Warms the server up, so that the cost of normal service is excluded.
  for (let count = 0; count < 20; count++) await call(subject.port);
  const { resident } = await subject.memory();
  armed = true;
  await act(subject.port);
  // The peak may date from startup, so this value is never too low.
  return ((await subject.memory()).peak - resident) / MB;
}
