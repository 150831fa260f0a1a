import { EventEmitter } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Callbacks } from "./callbacks.ts";
import { countChunk, ReadTurns } from "./read-turns.ts";

/** A session that records whether its connection is being read. */
class FakeSession extends EventEmitter {
  destroyed = false;
  isRead = true;
  readonly socket = {
    _handle: {
      readStop: () => {
        this.isRead = false;
      },
      readStart: () => {
        this.isRead = true;
      },
    },
  };

  get session(): ServerHttp2Session {
    return this as unknown as ServerHttp2Session;
  }
}

/** Starts turns that the test ends. */
function start(sessions: readonly FakeSession[]) {
  const soon: (() => void)[] = [];
  const callbacks = new Callbacks((error) => {
    throw error;
  });
  const turns = new ReadTurns({
    soon: (act) => {
      soon.push(act);
    },
  });
  for (const { session } of sessions) turns.addSession(session, callbacks);
  const endTurn = () => {
    for (const act of soon.splice(0)) act();
  };
  return { turns, endTurn };
}

test("one turn reads a limited number of chunks across all sessions", () => {
  const sessions = [new FakeSession(), new FakeSession()];
  const { turns, endTurn } = start(sessions);
  for (let turn = 0; turn < 3; turn++) {
    let chunks = 0;
    while (sessions.every(({ isRead }) => isRead)) {
      countChunk();
      chunks += 1;
      expect(chunks).toBeLessThan(10_000);
    }
    expect(sessions.map(({ isRead }) => isRead)).toEqual([false, false]);
    endTurn();
    expect(sessions.map(({ isRead }) => isRead)).toEqual([true, true]);
  }
  turns.close();
});

test("a session is not read while one of its requests waits, and other sessions are", () => {
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
