import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { afterEach, expect, test } from "vitest";
import { HeldResponses } from "../admission/held-responses.ts";
import type { Call } from "../call/call.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import { withDefaultLimits } from "../limits.ts";
import { cut } from "../listener/http.ts";
import { createListener, type Listener } from "../listener/listener.ts";
import { selfSigned } from "../testing/self-signed.ts";
import { type RpcResponse, respond } from "./respond.ts";

/** More bytes than the buffers of a connection, its peer and TLS take before the first read. */
const BYTES = 12 * 1024 * 1024;

let listener: Listener | undefined;
let close: () => void = () => undefined;
afterEach(async () => {
  close();
  await listener?.drain(0);
  listener = undefined;
});

async function* chunksOf(body: Uint8Array) {
  yield body;
  yield body;
}

const KINDS = {
  unary: (): RpcResponse => ({ status: 200, headers: {}, body: Buffer.alloc(BYTES) }),
  stream: (): RpcResponse => ({ status: 200, body: chunksOf(Buffer.alloc(BYTES)) }),
};

const CONNECTIONS = ["h1", "h2", "h1 with TLS", "h2 with TLS"] as const;

/** Serves the same response to every request and counts its bytes. */
async function serve(held: HeldResponses, kind: keyof typeof KINDS, secure: boolean) {
  const outcomes: (LimitRejection | undefined)[] = [];
  let onOutcome: () => void = () => undefined;
  const { certificate: cert, key } = selfSigned();
  listener = createListener({
    limits: withDefaultLimits({ drainGraceMs: 50 }),
    certificate: secure ? { cert, key } : undefined,
    onError: (error) => expect.unreachable(String(error)),
    onLimit: () => undefined,
    reject: () => expect.unreachable(),
    handler: (request, response) => {
      const client = String(request.headers["x-client"]);
      const hold = held.begin(client, () => cut(response));
      void respond(response, KINDS[kind](), { bytesOut: 0 } as Call, hold).then((rejected) => {
        if (rejected !== undefined) cut(response);
        hold.release();
        outcomes.push(rejected);
        onOutcome();
      });
    },
  });
  const { port } = await listener.listen(0, "127.0.0.1");
  const outcome = async (count: number) => {
    while (outcomes.length < count) {
      await new Promise<void>((resolve) => {
        onOutcome = resolve;
      });
    }
    return outcomes;
  };
  return { port, outcome };
}

/**
 * Requests a response without reading it. Resolves when its head arrives, with a function that reads the
 * rest.
 */
async function ask(
  port: number,
  how: (typeof CONNECTIONS)[number],
  client: string,
): Promise<() => Promise<void>> {
  const secure = how.endsWith("TLS");
  if (how.startsWith("h2")) {
    const session = http2.connect(`${secure ? "https" : "http"}://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
    });
    session.on("error", () => undefined);
    const stream = session.request({ ":path": "/", "x-client": client }).on("error", () => undefined);
    const before = close;
    close = () => {
      before();
      session.destroy();
    };
    await once(stream, "response");
    return async () => {
      stream.resume();
      await once(stream, "close");
    };
  }
  const { request } = secure ? https : http;
  const sent = request({
    port,
    host: "127.0.0.1",
    headers: { "x-client": client },
    agent: false,
    rejectUnauthorized: false,
  });
  sent.on("error", () => undefined).end();
  const before = close;
  close = () => {
    before();
    sent.destroy();
  };
  const [response] = await once(sent, "response");
  response.on("error", () => undefined);
  return async () => {
    response.resume();
    await once(response, "close");
  };
}

test.each(CONNECTIONS.flatMap((how) => (["unary", "stream"] as const).map((kind) => [how, kind] as const)))(
  "over %s, all bytes of an unread response (%s) count as held until they are read",
  async (how, kind) => {
    const held = new HeldResponses({ heldResponseBytes: 4 * BYTES }, () => undefined);
    const { port, outcome } = await serve(held, kind, how.endsWith("TLS"));
    const read = await ask(port, how, "192.0.2.1");
    expect(held.held).toBe(BYTES);
    await read();
    expect(await outcome(1)).toEqual([undefined]);
    expect(held.held).toBe(0);
  },
);

test.each(CONNECTIONS)(
  "over %s, a new client displaces a response of the client that holds the most bytes",
  async (how) => {
    let cuts = 0;
    const held = new HeldResponses({ heldResponseBytes: 4 * BYTES }, () => cuts++);
    const { port, outcome } = await serve(held, "unary", how.endsWith("TLS"));
    for (const client of ["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.2"]) await ask(port, how, client);
    expect([held.held, cuts]).toEqual([4 * BYTES, 0]);
    const read = await ask(port, how, "192.0.2.3");
    expect([held.held, cuts]).toEqual([4 * BYTES, 1]);
    await read();
    expect(await outcome(2)).toEqual([undefined, undefined]);
    expect([held.held, cuts]).toEqual([3 * BYTES, 1]);
  },
);
