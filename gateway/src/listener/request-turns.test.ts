import net from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { createListener, type Listener } from "../listener/listener.ts";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../testing/frames.ts";
import { sendResponse } from "./http.ts";
import { PER_TURN, RequestTurns } from "./request-turns.ts";

/** Simulates an event loop whose turns the test controls. */
class Loop {
  private due: (() => void)[] = [];
  readonly soon = (callback: () => void) => void this.due.push(callback);
  readonly after = (_: number, callback: () => void) => {
    this.soon(callback);
    return { restart: () => undefined, stop: () => undefined };
  };

  /** Runs one turn; returns whether there was anything to do. */
  comeRound(): boolean {
    const due = this.due;
    this.due = [];
    for (const each of due) each();
    return due.length > 0;
  }
}

test("few requests start in each turn, in order for each client, and canceled requests never start", () => {
  const sent = fc.record({
    client: fc.constantFrom("a", "b", "c", "d"),
    count: fc.nat(100),
    takenBack: fc.nat(5),
    turns: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 20 }), (steps) => {
      const loop = new Loop();
      const turns = new RequestTurns(loop, () => false);
      let inTurn = 0;
      let number = 0;
      const begun = new Map<string, number[]>();
      const expected = new Map<string, number[]>();
      const comeRound = () => {
        const before = inTurn;
        inTurn = 0;
        const wasBusy = loop.comeRound();
        return wasBusy || before > 0;
      };
      for (const { client, count, takenBack, turns: rounds } of steps) {
        for (let i = 0; i < count; i++) {
          const own = number++;
          const takeBack = turns.add(client, () => {
            inTurn += 1;
            expect(inTurn).toBeLessThanOrEqual(PER_TURN);
            begun.set(client, [...(begun.get(client) ?? []), own]);
          });
          if (takeBack !== undefined && i % 6 < takenBack) {
            takeBack();
          } else {
            expected.set(client, [...(expected.get(client) ?? []), own]);
          }
        }
        for (let i = 0; i < rounds; i++) comeRound();
      }
      while (comeRound());
      expect(begun).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

test("a client's single request starts in the next turn, however many requests of other clients wait", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: PER_TURN - 1 }),
      (floods) => {
        const loop = new Loop();
        const turns = new RequestTurns(loop, () => false);
        floods.forEach((count, client) => {
          for (let i = 0; i < count; i++) turns.add(`flood ${client}`, () => undefined);
        });
        let hasBegun = false;
        turns.add("control", () => {
          hasBegun = true;
        });
        loop.comeRound();
        expect(hasBegun).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

let listener: Listener | undefined;
const sockets: net.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener?.drain(0);
  listener = undefined;
});

/** Starts a listener that records how many requests start in each turn of its event loop. */
async function start(begun: number[], exceeded: string[] = []): Promise<number> {
  let inTurn = 0;
  const created = createListener({
    limits: withDefaultLimits({ drainGraceMs: 100, requestsInFlight: 400 }),
    handler: (_request, response) => {
      if (inTurn === 0) {
        setImmediate(() => {
          begun.push(inTurn);
          inTurn = 0;
        });
      }
      inTurn += 1;
      sendResponse(response, 200, {}, "served");
    },
    reject: (_request, response) => sendResponse(response, 503, {}, "rejected"),
    onError: (error) => expect.unreachable(String(error)),
    onLimit: (limit) => void exceeded.push(limit),
  });
  listener = created;
  const { port } = await created.listen(0, "127.0.0.1");
  return port;
}

const HEADERS = block([
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/x"],
  [":authority", "a"],
]);
const http2Flood = Buffer.concat([
  preface,
  frame(type.settings, 0, 0),
  ...Array.from({ length: 100 }, (_, i) => frame(type.headers, END_HEADERS | END_STREAM, 2 * i + 1, HEADERS)),
]);
const http1Flood = Buffer.from("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));

/** Sends bytes and waits for a number of responses. */
function flood(port: number, bytes: Buffer, responses: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => void socket.write(bytes));
    sockets.push(socket);
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
      if (received.split("served").length > responses) resolve();
    });
    socket.on("error", reject);
  });
}

test.each([
  ["HTTP/1.1", http1Flood],
  ["HTTP/2", http2Flood],
])(
  "when one %s packet contains 100 requests, few start in each turn, and all are served",
  async (_, bytes) => {
    const begun: number[] = [];
    const port = await start(begun);
    await Promise.all([1, 2].map(() => flood(port, bytes, 100)));
    await new Promise((resolve) => setImmediate(resolve));
    // one turn in this process may overlap two server turns
    expect(Math.max(...begun)).toBeLessThanOrEqual(2 * PER_TURN);
    expect(begun.reduce((all, each) => all + each, 0)).toBe(200);
  },
);

test("pipelined requests over the limit close their connection, and other requests are served", async () => {
  const exceeded: string[] = [];
  const port = await start([], exceeded);
  const pipelined = net.connect(port, "127.0.0.1");
  sockets.push(pipelined);
  await new Promise<void>((resolve) => {
    pipelined.on("close", () => resolve()).on("error", () => undefined);
    pipelined.write("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20_000));
  });
  expect(exceeded).toEqual(["streamsPerConnection"]);
  await flood(port, Buffer.from("GET /x HTTP/1.1\r\nHost: a\r\n\r\n"), 1);
});
