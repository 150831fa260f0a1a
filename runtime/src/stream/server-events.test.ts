import fc from "fast-check";
import { expect, test } from "vitest";
import { Pacer } from "../time/pacer.ts";
import { linesOf, RecordTooLarge } from "./lines.ts";
import { eventsOf, type ServerEvent } from "./server-events.ts";

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [index, start] of places.slice(0, -1).entries()) yield bytes.subarray(start, places[index + 1]);
}

async function eventsIn(text: string, cuts: readonly number[] = [], limit = 1e6): Promise<ServerEvent[]> {
  const lines = linesOf(pieces(Buffer.from(text), cuts), "any", limit, new Pacer());
  const found: ServerEvent[] = [];
  for await (const event of eventsOf(lines, limit)) found.push(event);
  return found;
}

const plain = (data: string, more: Partial<ServerEvent> = {}) => ({
  event: "message",
  id: "",
  data,
  ended: true,
  malformed: false,
  ...more,
});

test("the examples of the standard are parsed as the standard specifies", async () => {
  expect(await eventsIn("data: YHOO\ndata: +2\ndata: 10\n\n")).toEqual([plain("YHOO\n+2\n10")]);
  const comments =
    ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n";
  expect(await eventsIn(`${comments}\n`)).toEqual([
    plain("first event", { id: "1" }),
    plain("second event"),
    plain(" third event"),
  ]);
  expect(await eventsIn("data\n\ndata\ndata\n\ndata:")).toEqual([
    plain(""),
    plain("\n"),
    plain("", { ended: false }),
  ]);
  expect(await eventsIn("data:test\n\ndata: test\n\n")).toEqual([plain("test"), plain("test")]);
});

test("a name applies to one event, an ID also applies to later events, and an event without data is skipped", async () => {
  expect(await eventsIn("event: a\nid: 1\ndata: x\n\nevent: b\n\nid: 2\0\ndata: y\n\nother: z\n\n")).toEqual([
    plain("x", { event: "a", id: "1" }),
    plain("y", { id: "1" }),
  ]);
});

test("a byte order mark is skipped only at the beginning", async () => {
  expect(await eventsIn("\ufeffdata: a\n\n\ufeffdata: b\n\n")).toEqual([plain("a")]);
});

test("the events are the same with every line ending, and in chunks of any size", async () => {
  const text = fc.string({ unit: "grapheme" }).map((value) => value.replace(/[\r\n]/g, ""));
  const input = fc.record({
    events: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
    end: fc.constantFrom("\n", "\r", "\r\n"),
    cuts: fc.array(fc.nat(), { maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(input, async ({ events, end, cuts }) => {
      const body = events
        .map((lines) => `${lines.map((line) => `data: ${line}${end}`).join("")}${end}`)
        .join("");
      expect(await eventsIn(body, cuts)).toEqual(events.map((lines) => plain(lines.join("\n"))));
    }),
    { numRuns: 200 },
  );
});

test("the cost of a body that consists of carriage returns grows linearly", { timeout: 10_000 }, async () => {
  expect(await eventsIn("\r".repeat(1 << 20))).toEqual([]);
});

test("data of too many empty lines is rejected, since each line is stored", async () => {
  await expect(eventsIn("data\n".repeat(10_000), [], 100_000)).rejects.toThrow(RecordTooLarge);
});

test("with the separator `lf`, lines are split only at line feeds, and characters stay whole", async () => {
  const bytes = Buffer.from("a\rb\nä€\n𝄞");
  for (let cut = 0; cut <= bytes.length; cut++) {
    const found: string[] = [];
    for await (const lines of linesOf(pieces(bytes, [cut]), "lf", 100, new Pacer())) {
      found.push(...lines.map(({ text }) => text));
    }
    expect(found).toEqual(["a\rb", "ä€", "𝄞"]);
  }
});

test("an event whose lines exceed the limit is rejected while it arrives", async () => {
  await expect(eventsIn(`data: ${"x".repeat(100)}`, [], 50)).rejects.toThrow(RecordTooLarge);
  await expect(eventsIn("data: 1234567890\n".repeat(10), [], 50)).rejects.toThrow(RecordTooLarge);
  expect(await eventsIn("data: 1234567890\n\n".repeat(10), [], 50)).toHaveLength(10);
});

test("the name and the ID of an event count towards its size", async () => {
  for (const field of ["event", "id"]) {
    const text = `${field}: ${"x".repeat(60)}\ndata: ${"y".repeat(10)}\n\n`;
    expect((await eventsIn(text, [], 110))[0]?.data.length).toBe(10);
    await expect(eventsIn(text, [], 100)).rejects.toThrow(RecordTooLarge);
  }
});
