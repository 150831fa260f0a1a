import fc from "fast-check";
import { expect, test } from "vitest";
import { envelopes } from "../protocol/envelope.ts";
import { wholeMessages } from "./whole-messages.ts";

const message = fc.uint8Array({ maxLength: 40 });

async function piecesOf(body: Uint8Array, size: number, isEnveloped: boolean, maxBytes: number) {
  async function* chunks() {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
  }
  const pieces: Buffer[] = [];
  for await (const piece of wholeMessages(chunks(), isEnveloped, maxBytes)) pieces.push(Buffer.from(piece));
  return pieces;
}

test("property: the concatenated pieces equal the body, and each piece ends at a message boundary", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 8 }),
      fc.integer({ min: 1, max: 60 }),
      async (all, size) => {
        const sizes = all.map((each) => 5 + each.length);
        const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size));
        const body = envelopes(...all.map((each) => [0, each] as const));
        const pieces = await piecesOf(body, size, true, 100);
        expect(Buffer.concat(pieces)).toEqual(Buffer.from(body));
        let at = 0;
        for (const piece of pieces) {
          at += piece.length;
          expect(ends).toContain(at);
        }
      },
    ),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("the received part of a truncated body is passed on", async () => {
  const body = envelopes([0, Buffer.from("abc")]).subarray(0, 6);
  expect(Buffer.concat(await piecesOf(body, 1, true, 100))).toEqual(Buffer.from(body));
});

test("an oversized message is passed on as it arrives, so that connect rejects it", async () => {
  const pieces = await piecesOf(envelopes([0, new Uint8Array(200)]), 10, true, 100);
  expect(pieces[0]).toHaveLength(10);
  expect(pieces.length).toBeGreaterThan(10);
});

test("a body without envelopes becomes one piece, up to the limit", async () => {
  expect(await piecesOf(Buffer.from("abcdef"), 1, false, 100)).toEqual([Buffer.from("abcdef")]);
  expect((await piecesOf(new Uint8Array(300), 50, false, 100))[0]).toHaveLength(150);
});

test("a prefix without its message is passed on in part, so that connect does not treat it as the end of the body", async () => {
  const whole = envelopes([0, new Uint8Array(3)]);
  const pieces = await piecesOf(Buffer.concat([whole, Buffer.of(0, 0, 0, 0, 2)]), 100, true, 100);
  expect(pieces).toEqual([Buffer.from(whole), Buffer.of(0, 0, 0, 0)]);
  expect(await piecesOf(Buffer.of(0, 0, 0, 0, 0), 100, true, 100)).toEqual([Buffer.of(0, 0, 0, 0, 0)]);
});
