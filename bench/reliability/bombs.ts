import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import zlib from "node:zlib";
import { call, PAGE } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

const MB = 1 << 20;

/** Large enough to tell, and not so large that it harms the machine of a server without a limit. */
const UNPACKED_MB = 256;

/** By how much the memory of servers grows when a small compressed body unpacks to 256 MB. */
export async function measureBombs(): Promise<Figure[]> {
  const bomb = await packed();
  const headers = { "content-encoding": "br", "content-type": "application/json" };
  const fromClient = (name: Name) =>
    grown(name, undefined, (port) => call(port, { body: bomb, headers: { "content-encoding": "br" } }));
  const fromUpstream = (name: Name) => grown(name, { bomb, headers }, (port) => call(port));
  return [await figure(" client", bomb, fromClient), await figure("n upstream", bomb, fromUpstream)];
}

type Name = "reliable-gateway" | "bare";

/** Made piece by piece: a process inherits the peak of the one that starts it. */
function packed(): Promise<Buffer> {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 5, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 };
  const spaces = Buffer.alloc(MB, " ");
  const pieces = Readable.from(Array.from({ length: UNPACKED_MB }, () => spaces));
  return buffer(pieces.pipe(zlib.createBrotliCompress({ params })));
}

async function figure(peer: string, bomb: Buffer, grow: (name: Name) => Promise<number>): Promise<Figure> {
  return {
    name: `memory for ${bomb.length} bytes from a${peer} that unpack to ${UNPACKED_MB} MB`,
    unit: "MB",
    value: await grow("reliable-gateway"),
    bound: { atMost: 48 },
    beside: { bare: await grow("bare") },
  };
}

interface Bomb {
  readonly bomb: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

async function grown(
  name: Name,
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
  await using subject = await Subject.start(name, { upstream: upstream.url });
  // what serving costs anyway is not the bomb's
  for (let count = 0; count < 20; count++) await call(subject.port);
  const { resident } = await subject.memory();
  armed = true;
  await act(subject.port);
  // the peak is that of the start where it was higher, so this is never too little
  return ((await subject.memory()).peak - resident) / MB;
}
