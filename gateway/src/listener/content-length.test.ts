import { once } from "node:events";
import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Metrics } from "../metrics/metrics.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../testing/frames.ts";

const metrics = new Metrics();
let server: Server;
beforeAll(async () => {
  server = await startServer({
    ...echoService,
    metrics,
    limits: { drainNoticeMs: 1, drainGraceMs: 50, eventLoopDelayMs: 60_000, resetsPerSecond: 10_000 },
  });
});
afterAll(() => server.close());

function head(contentLength: number): Buffer {
  return block([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", "/echo.v1.EchoService/Echo"],
    [":authority", "localhost"],
    ["content-type", "application/json"],
    ["content-length", String(contentLength)],
  ]);
}

/** Returns the frames of a request whose body may differ from its declared length. */
function request(stream: number, said: number, body: readonly Buffer[], hasEnd: boolean): Buffer {
  const data = body.map((part, index) =>
    frame(type.data, hasEnd && index === body.length - 1 ? END_STREAM : 0, stream, part),
  );
  const flags = body.length === 0 && hasEnd ? END_HEADERS | END_STREAM : END_HEADERS;
  return Buffer.concat([frame(type.headers, flags, stream, head(said)), ...data]);
}

/** A connection that records how each of its streams ended. */
class Connection {
  readonly ends = new Map<number, string>();
  readonly socket = net.connect(server.port, "127.0.0.1");
  private bytes = Buffer.alloc(0);

  constructor() {
    this.socket.on("error", () => undefined).on("data", (chunk) => this.receive(chunk));
    this.socket.write(Buffer.concat([preface, frame(type.settings, 0, 0)]));
  }

  async ended(count: number): Promise<void> {
    while (this.ends.size < count) await once(this.socket, "data");
  }

  private receive(chunk: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    while (this.bytes.length >= 9) {
      const length = this.bytes.readUIntBE(0, 3);
      if (this.bytes.length < 9 + length) return;
      const [kind, flags, stream] = [this.bytes[3], this.bytes[4] ?? 0, this.bytes.readUInt32BE(5)];
      if (kind === type.goaway) this.ends.set(0, "goaway");
      if (kind === type.reset) this.ends.set(stream, `reset ${this.bytes.readUInt32BE(9)}`);
      const isOfStream = kind === type.data || kind === type.headers;
      if (isOfStream && (flags & END_STREAM) !== 0) this.ends.set(stream, "end");
      this.bytes = this.bytes.subarray(9 + length);
    }
  }
}

const BODY = Buffer.from('{"text":"a"}');
const PROTOCOL_ERROR = "reset 1";
const body = fc.record({
  /** The difference between the declared and the actual length. */
  lie: fc.constantFrom(-12, -5, -1, 0, 0, 0, 1, 7),
  cut: fc.integer({ min: 0, max: BODY.length }),
  more: fc.nat(3),
  hasEnd: fc.boolean(),
});

test("a body whose length differs from its content-length resets its stream, and no other stream", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (bodies, together) => {
        const connection = new Connection();
        const expected = new Map<number, string>();
        const requests = bodies.map(({ lie, cut, more, hasEnd }, index) => {
          const stream = 2 * index + 1;
          const parts = [
            BODY.subarray(0, cut),
            BODY.subarray(cut),
            ...Array.from({ length: more }, () => BODY),
          ];
          const sent = Buffer.concat(parts).length;
          const said = sent + lie;
          // the server waits for the rest of a body that is too short
          if (lie === 0 && hasEnd) expected.set(stream, "end");
          if (lie < 0 || (lie > 0 && hasEnd)) expected.set(stream, PROTOCOL_ERROR);
          return request(stream, said, parts, hasEnd);
        });
        const last = 2 * bodies.length + 1;
        requests.push(request(last, BODY.length, [BODY], true));
        expected.set(last, "end");
        for (const each of together ? [Buffer.concat(requests)] : requests) connection.socket.write(each);
        await connection.ended(expected.size);
        expect(connection.ends).toEqual(expected);
        connection.socket.destroy();
      },
    ),
    { numRuns: 60, interruptAfterTimeLimit: 8000 },
  );
  const { body: text } = await metrics.render();
  expect(text).toContain("connect_rest_http2_violations_total 0\n");
});
