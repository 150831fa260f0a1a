import { EventEmitter } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Callbacks } from "./callbacks.ts";
import type { HttpRequest } from "./http.ts";
import { CHUNKS_PER_TURN, countChunk, HEAD_LINES, ReadTurns } from "./read-turns.ts";

/** A session that records whether its connection is being read. */
class FakeSession extends EventEmitter {
  destroyed = false;
  isRead = true;
  onReadStart = () => {};
  readonly socket: { readonly remoteAddress: string; readonly _handle: object };

  constructor(remoteAddress = "a") {
    super();
    this.socket = { remoteAddress, _handle: this.handle() };
  }

  private handle(): object {
    return {
      readStop: () => {
        this.isRead = false;
      },
      readStart: () => {
        this.isRead = true;
        this.onReadStart();
      },
    };
  }

  /** A request on this session. */
  get request(): HttpRequest {
    return { stream: { session: this } } as unknown as HttpRequest;
  }

  get session(): ServerHttp2Session {
    return this as unknown as ServerHttp2Session;
  }
}

const PROXY = "proxy";

/** Creates turns that end when the test says so. */
function start(sessions: readonly FakeSession[]) {
  const soon: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const callbacks = new Callbacks((error) => {
    throw error;
  });
  const later = {
    soon: (act: () => void) => void soon.push(act),
    after: (_: number, act: () => void) => {
      timers.push(act);
      return { restart: () => undefined, stop: () => undefined };
    },
  };
  const turns = new ReadTurns(later, (address) => address === PROXY);
  for (const { session } of sessions) turns.addSession(session, callbacks);
  const endTurn = () => {
    for (const act of soon.splice(0)) act();
  };
  const endRests = () => {
    for (const act of timers.splice(0)) act();
  };
  return { turns, callbacks, endTurn, endRests };
}

test("a turn reads a bounded number of chunks, whichever sessions they come from", () => {
  const sessions = [new FakeSession(PROXY), new FakeSession(PROXY)];
  const { turns, endTurn } = start(sessions);
  for (let turn = 0; turn < 3; turn++) {
    let chunks = 0;
    while (sessions.every(({ isRead }) => isRead)) {
      const { request } = sessions[chunks % 2] ?? new FakeSession();
      countChunk(request);
      chunks += 1;
      expect(chunks).toBeLessThan(10_000);
    }
    expect(sessions.map(({ isRead }) => isRead)).toEqual([false, false]);
    endTurn();
    expect(sessions.map(({ isRead }) => isRead)).toEqual([true, true]);
  }
  turns.close();
});

test("a session is not read while one of its requests waits, but other sessions are read", () => {
  const act = fc.constantFrom("hold", "release", "release again", "flood", "end of turn");
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const [session, other] = [new FakeSession(), new FakeSession()];
      const { turns, endTurn } = start([session, other]);
      const held: (() => void)[] = [];
      let released = () => {};
      let isStopped = false;
      for (const each of acts) {
        if (each === "hold") held.push(turns.hold(session.session));
        if (each === "release") {
          released = held.pop() ?? released;
          released();
        }
        if (each === "release again") released();
        if (each === "flood") {
          turns.count(1000);
          isStopped = true;
        }
        if (each === "end of turn") {
          endTurn();
          isStopped = false;
        }
        expect(session.isRead).toBe(held.length === 0 && !isStopped);
        expect(other.isRead).toBe(!isStopped);
      }
      turns.close();
    }),
  );
});

test("after a full turn, a client rests only if its chunks took most of the turn", () => {
  const flood = fc.record({ a: fc.nat(3000), b: fc.nat(3000), [PROXY]: fc.nat(3000) });
  fc.assert(
    fc.property(flood, fc.boolean(), (chunks, areMessages) => {
      const sessions = Object.fromEntries(Object.keys(chunks).map((name) => [name, new FakeSession(name)]));
      const { turns, endTurn, endRests } = start(Object.values(sessions));
      const isRead = () => Object.values(sessions).map((session) => session.isRead);
      for (const [name, count] of Object.entries(chunks)) {
        const { request } = sessions[name] ?? new FakeSession();
        for (let sent = 0; sent < count; sent++) countChunk(request, areMessages);
      }
      endTurn();
      const isFull = chunks.a + chunks.b + chunks[PROXY] >= CHUNKS_PER_TURN;
      const rests = (name: string, count: number) =>
        isFull && count >= CHUNKS_PER_TURN / 2 && !areMessages && name !== PROXY;
      expect(isRead()).toEqual(Object.entries(chunks).map(([name, count]) => !rests(name, count)));
      endRests();
      endTurn();
      expect(isRead()).toEqual([true, true, true]);
      turns.close();
    }),
    { numRuns: 50 },
  );
});

test("after a full turn or a rest, connections with fewer chunks are read first", () => {
  const counts = fc.array(fc.nat(1500), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(counts, fc.boolean(), (chunks, areMessages) => {
      const sessions = chunks.map(() => new FakeSession());
      const { turns, endTurn, endRests } = start(sessions);
      const started: number[] = [];
      for (const [index, session] of sessions.entries()) {
        session.onReadStart = () => started.push(chunks[index] ?? 0);
        for (let sent = 0; sent < (chunks[index] ?? 0); sent++) countChunk(session.request, areMessages);
      }
      endTurn();
      endRests();
      endTurn();
      const isFull = chunks.reduce((sum, count) => sum + count, 0) >= CHUNKS_PER_TURN;
      expect(started).toEqual(isFull ? chunks.toSorted((one, other) => one - other) : []);
      turns.close();
    }),
    { numRuns: 50 },
  );
});

const CHUNK = "1\r\n \r\n";

/** A connection on which chunks have arrived, and which records whether it is being read. */
class FakeSocket extends Duplex {
  isRead = true;
  /** Whether more bytes were asked for. */
  isAsked = false;
  readonly remoteAddress: string;
  readonly _handle = { reading: true };

  constructor(remoteAddress: string, chunks: number) {
    super({
      read: () => {
        this.isAsked = true;
      },
    });
    this.remoteAddress = remoteAddress;
    this.push(CHUNK.repeat(chunks));
    this.on("pause", () => {
      this.isRead = false;
    });
    this.on("resume", () => {
      this.isRead = true;
    });
  }
}

test("new connections begin until their first chunks fill a turn, and are then not read before the next turn", () => {
  const arrived = fc.array(fc.tuple(fc.constantFrom(PROXY, "a", "b"), fc.nat(4000)), { maxLength: 12 });
  fc.assert(
    fc.property(arrived, (connections) => {
      const { turns, callbacks, endTurn, endRests } = start([]);
      let begun: { readonly chunks: number; readonly socket: FakeSocket }[] = [];
      for (const [client, chunks] of connections) {
        const socket = new FakeSocket(client, chunks);
        turns.begin(socket, () => {
          // otherwise, the bytes of waiting connections would accumulate in memory
          expect(socket.isAsked).toBe(false);
          begun.push({ chunks, socket });
          turns.addHttp1(socket, callbacks);
        });
      }
      let left = connections.length;
      for (let turn = 0; left > 0; turn++) {
        expect(turn).toBeLessThan(100);
        const counts = begun.map(({ chunks }) => Math.max(0, chunks - HEAD_LINES / 2));
        const sum = counts.reduce((all, count) => all + count, 0);
        expect(sum - (counts.at(-1) ?? 0)).toBeLessThan(CHUNKS_PER_TURN);
        expect(begun.map(({ socket }) => socket.isRead)).toEqual(begun.map(() => sum < CHUNKS_PER_TURN));
        for (const { chunks, socket } of begun) {
          expect(socket.read()?.length ?? 0).toBe(chunks * CHUNK.length);
        }
        left -= begun.length;
        begun = [];
        endTurn();
        if (turn % 3 === 2) endRests();
      }
      turns.close();
    }),
    { numRuns: 50 },
  );
});

test("a flood of new connections delays other connections of its client by at most two rests", () => {
  const session = new FakeSession("a");
  const { turns, callbacks, endTurn, endRests } = start([session]);
  let begun = 0;
  const begin = (chunks: number) => {
    const socket = new FakeSocket("a", chunks);
    turns.begin(socket, () => {
      begun += 1;
      turns.addHttp1(socket, callbacks);
    });
  };
  for (let count = 0; count < 20; count++) begin(CHUNKS_PER_TURN + HEAD_LINES);
  expect(begun).toBe(1);
  let rests = 0;
  for (let turn = 0; turn < 200 && begun < 20; turn++) {
    endTurn();
    if (session.isRead) rests = 0;
    if (turn % 5 !== 4) continue;
    const before = begun;
    begin(HEAD_LINES / 2);
    expect(begun).toBe(before + 1);
    begun -= 1;
    endRests();
    rests += 1;
    expect(rests).toBeLessThanOrEqual(2);
  }
  expect(begun).toBe(20);
  turns.close();
});
