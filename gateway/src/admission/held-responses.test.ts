import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HeldResponses, type ResponseReservation } from "./held-responses.ts";

const LIMIT = 100;

interface Known {
  readonly client: number;
  readonly hold: ResponseReservation;
  bytes: number;
  isCut: boolean;
}

const step = fc.record({
  client: fc.nat(3),
  bytes: fc.integer({ min: 1, max: LIMIT / 2 }),
  /** The next event of the oldest response. */
  fate: fc.constantFrom("read", "end", "wait", "nothing"),
});

test("property: held bytes stay within the limit, one client holds at most half of the limit, only clients with more bytes make room, and all bytes are released", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let now = 0;
      const all: Known[] = [];
      let cuts = 0;
      const held = new HeldResponses(
        { heldResponseBytes: LIMIT },
        () => cuts++,
        () => now,
      );
      const heldBy = (client?: number) =>
        all.reduce(
          (sum, { client: other, bytes, isCut }) =>
            sum + (isCut || (client !== undefined && client !== other) ? 0 : bytes),
          0,
        );
      for (const { client, bytes, fate } of steps) {
        const before = [0, 1, 2, 3].map(heldBy);
        const cutBefore = new Set(all.filter(({ isCut }) => isCut));
        const known: Known = {
          client,
          bytes: 0,
          isCut: false,
          hold: held.begin(`192.0.2.${client}`, () => {
            known.isCut = true;
          }),
        };
        const rejected = known.hold.add(bytes);
        if (rejected === undefined) known.bytes = bytes;
        all.push(known);
        for (const cut of all.filter((each) => each.isCut && !cutBefore.has(each))) {
          const isOwn = cut.client === client;
          expect(isOwn || (before[cut.client] ?? 0) > (heldBy(client) || bytes)).toBe(true);
        }
        if (rejected?.error.code === Code.Unavailable) {
          expect(heldBy() + bytes).toBeGreaterThan(LIMIT);
          for (const other of [0, 1, 2, 3]) expect(heldBy(other)).toBeLessThanOrEqual(heldBy(client) + bytes);
        } else if (rejected !== undefined) {
          expect([rejected.error.code, heldBy(client) + bytes > LIMIT / 2]).toEqual([
            Code.ResourceExhausted,
            true,
          ]);
        }
        expect(held.held).toBe(heldBy());
        expect(heldBy()).toBeLessThanOrEqual(LIMIT);
        expect(heldBy(client)).toBeLessThanOrEqual(LIMIT / 2);
        const oldest = all.find(({ isCut, bytes: left }) => !isCut && left > 0);
        if (fate === "read") oldest?.hold.wasRead();
        if (fate === "wait") now += 1000;
        if (fate === "end" && oldest !== undefined) {
          oldest.hold.release();
          oldest.bytes = 0;
        }
      }
      expect(cuts).toBe(all.filter(({ isCut }) => isCut).length);
      for (const { hold } of all) hold.release();
      expect(held.held).toBe(0);
    }),
  );
});

test("the client with the most bytes loses the response that has been unread for longest", () => {
  const cut: string[] = [];
  const held = new HeldResponses({ heldResponseBytes: LIMIT }, () => undefined);
  const begin = (client: string, name: string, bytes: number) => {
    const hold = held.begin(client, () => cut.push(name));
    expect(hold.add(bytes)).toBeUndefined();
    return hold;
  };
  const first = begin("a", "first of a", 20);
  begin("a", "second of a", 20);
  begin("b", "first of b", 30);
  first.wasRead();
  begin("c", "first of c", 30);
  begin("d", "first of d", 20);
  begin("e", "first of e", 20);
  expect(cut).toEqual(["second of a", "first of b"]);
});

test("a client at its limit loses a response that has been unread for a second, and keeps one that it reads", () => {
  let now = 0;
  const cut: string[] = [];
  const held = new HeldResponses(
    { heldResponseBytes: LIMIT },
    () => undefined,
    () => now,
  );
  const stalled = held.begin("a", () => cut.push("stalled"));
  const moving = held.begin("a", () => cut.push("moving"));
  expect([stalled.add(25), moving.add(25)]).toEqual([undefined, undefined]);
  now = 500;
  moving.wasRead();
  expect(held.begin("a", () => undefined).add(25)?.error.code).toBe(Code.ResourceExhausted);
  now = 1000;
  expect(held.begin("a", () => undefined).add(25)).toBeUndefined();
  expect(held.begin("a", () => undefined).add(25)?.error.rawMessage).toBe(
    "responses that the client has not read take more than half of the limit heldResponseBytes, 100 bytes; read them, and try again later",
  );
  expect(cut).toEqual(["stalled"]);
});

test("a client's only response is sent even if it exceeds the limit, and a response above half of the limit is sent if nothing else is held", () => {
  const held = new HeldResponses({ heldResponseBytes: LIMIT }, () => undefined);
  const first = held.begin("a", () => undefined);
  expect(first.add(3 * LIMIT)).toBeUndefined();
  expect(held.begin("a", () => undefined).add(1)?.error.code).toBe(Code.ResourceExhausted);
  first.release();
  expect(held.begin("b", () => undefined).add(60)).toBeUndefined();
});

test("the addresses in an IPv6 network share one limit", () => {
  const held = new HeldResponses({ heldResponseBytes: LIMIT }, () => undefined);
  expect(held.begin("2001:db8::1", () => undefined).add(50)).toBeUndefined();
  const other = held.begin("2001:db8::2", () => undefined).add(1);
  expect(other?.error.code).toBe(Code.ResourceExhausted);
});
