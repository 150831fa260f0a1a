import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileHttp1, hostileHttp2, splits, VERSIONS } from "../testing/corpus/generated.ts";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../testing/frames.ts";
import { type HostileProcess, sendBytes, startHostileProcess } from "../testing/hostile-process.ts";
import { http2Request } from "../testing/raw.ts";

let hostile: HostileProcess;
beforeAll(async () => {
  // Many concurrent handshakes are slow on a busy machine.
  hostile = await startHostileProcess({ headersTimeoutMs: 3000 });
});
afterAll(() => hostile.stop());

const WAYS = [
  ["cleartext", false],
  ["TLS", "http/1.1"],
] as const;

type Secure = false | "h2" | "http/1.1";

function send(parts: readonly Uint8Array[], secure: Secure): Promise<string> {
  return sendBytes(secure === false ? hostile.port : hostile.tlsPort, secure, parts);
}

/** Expects that the process runs, has printed no error, and serves another client. */
async function expectControl(): Promise<void> {
  expect([hostile.exited(), hostile.stderr()]).toEqual([undefined, ""]);
  const headers = {
    ":method": "POST",
    ":path": "/echo.v1.EchoService/Echo",
    "content-type": "application/json",
  };
  const { status, body } = await http2Request(hostile.port, headers, Buffer.from('{"text":"control"}'));
  expect([status, body]).toEqual([200, { text: "control" }]);
}

/** Sends each input on a separate connection, a few at a time. */
async function sendAll(all: readonly (readonly Uint8Array[])[], secure: Secure): Promise<string[]> {
  const received: string[] = [];
  for (let at = 0; at < all.length; at += 50) {
    received.push(...(await Promise.all(all.slice(at, at + 50).map((parts) => send(parts, secure)))));
  }
  return received;
}

describe.each(WAYS)("over %s", (_, secure) => {
  test.each(VERSIONS)(
    "a request line with the version %j gets 400 or 505 and closes the connection, however it is split into packets",
    {
      timeout: 60_000,
    },
    async (version) => {
      const request = Buffer.from(`GET / ${version}\r\nHost: a\r\n\r\n`);
      for (const received of await sendAll(splits(request), secure)) {
        expect(received).toMatch(/^HTTP\/1\.1 (?:400|505) .*\r\nconnection: close\r\n/is);
        expect(received).not.toContain('"code"');
      }
      await expectControl();
    },
  );

  test("generated HTTP/1 requests affect only their own connection", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileHttp1, { minLength: 10, maxLength: 20 }), async (connections) => {
        for (const received of await sendAll(connections, secure)) {
          expect(received).toMatch(/^(?:$|HTTP\/1\.1 \d\d\d )/);
          expect(received).not.toMatch(/HTTP\/1\.1 500 |internal error|node:internal|\/src\//);
        }
        await expectControl();
      }),
      { numRuns: 20, interruptAfterTimeLimit: 20_000 },
    );
  });
});

describe.each([
  ["cleartext", false],
  ["TLS", "h2"],
] as const)("over HTTP/2 and %s", (_, secure) => {
  test("generated streams affect only their own connection", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileHttp2, { minLength: 10, maxLength: 20 }), async (connections) => {
        for (const received of await sendAll(connections, secure)) {
          expect(received).not.toMatch(/internal error|node:internal|\/src\//);
        }
        await expectControl();
      }),
      { numRuns: 20, interruptAfterTimeLimit: 20_000 },
    );
  });

  test("an HTTP/2 preface is recognized however it is split into packets", async () => {
    const headers = block([
      [":method", "GET"],
      [":scheme", "http"],
      [":path", "/healthz"],
      [":authority", "a"],
    ]);
    const request = frame(type.headers, END_HEADERS | END_STREAM, 1, headers);
    const whole = Buffer.concat([preface, frame(type.settings, 0, 0), request]);
    for (const received of await sendAll(splits(whole), secure)) expect(received).toContain("alive\n");
  });

  test("a connection that violates the protocol after its GOAWAY is closed", async () => {
    const open = (stream: number, flags: number) => {
      const path = [":path", "/echo.v1.EchoService/Repeat"] as const;
      const type1 = ["content-type", "application/grpc"] as const;
      const head = [[":method", "POST"], [":scheme", "http"], path, [":authority", "a"], type1] as const;
      return frame(type.headers, flags | END_HEADERS, stream, block(head));
    };
    const frames = [
      open(1, 0),
      frame(type.goaway, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0]),
      open(5, END_STREAM),
      frame(type.data, END_STREAM, 5, [1, 2, 3]),
    ];
    await send([Buffer.concat([preface, frame(type.settings, 0, 0), ...frames])], secure);
    await expectControl();
  });

  test.each([
    ["expect", "100-continue"],
    ["expect", "else"],
    ["content-type", "application/grpc"],
  ])(
    "a stream with the header %s: %s that is opened and reset in one packet does not affect other clients",
    async (name, value) => {
      const headers = block([
        [":method", "POST"],
        [":scheme", "http"],
        [":path", "/echo.v1.EchoService/Echo"],
        [":authority", "a"],
        [name, value],
      ]);
      const open = frame(type.headers, END_HEADERS, 1, headers);
      const reset = frame(type.reset, 0, 1, [0, 0, 0, 8]);
      await send([Buffer.concat([preface, frame(type.settings, 0, 0), open, reset])], secure);
      await expectControl();
    },
  );
});
