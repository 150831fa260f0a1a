import fc from "fast-check";
import { expect, test } from "vitest";
import { HeaderBudget } from "./header-budget.ts";

type Header = readonly [name: string, value: string];

const TABLE_BYTES = 4096;
const sizeOf = ([name, value]: Header) => name.length + value.length + 32;
const textOf = ([name, value]: Header) => `${name}\0${value}`;
/** The shortest Huffman codes have five bits (RFC 7541 appendix B). */
const shortest = (text: string) => 1 + Math.ceil((text.length * 5) / 8);

/** An optimal HPACK encoder: it adds everything to the table, and every name costs one byte. */
class Encoder {
  private table: Header[] = [];

  /** Returns the size of a request on the wire, including its frame. */
  encode(headers: readonly Header[]): number {
    return 9 + headers.reduce((sum, header) => sum + this.one(header), 0);
  }

  private one(header: Header): number {
    if (this.table.some((each) => textOf(each) === textOf(header))) return 1;
    this.table.unshift(header);
    while (this.table.reduce((sum, each) => sum + sizeOf(each), 0) > TABLE_BYTES) this.table.pop();
    return 1 + shortest(header[1]);
  }
}

const name = fc.integer({ min: 1, max: 25 }).map((length) => "n".repeat(length));
const value = fc
  .tuple(fc.integer({ min: 0, max: 4000 }), fc.constantFrom(10, 100, 1000, 4000), fc.nat(30))
  .map(([length, most, kind]) => `${kind} ${"v".repeat(length % most)}`);
const headers = fc.uniqueArray(fc.tuple(name, value), { selector: textOf, maxLength: 100 });
const rawOf = (list: readonly Header[]) => list.flat();

test("a client that sends each header once stays within the budget, however well HPACK compresses the headers", () => {
  fc.assert(
    fc.property(fc.array(headers, { minLength: 1, maxLength: 4 }), (requests) => {
      const encoder = new Encoder();
      let received = 0;
      const budget = new HeaderBudget(() => received);
      for (let i = 0; i < 400; i++) {
        const request = requests[i % requests.length] ?? [];
        received += encoder.encode(request);
        expect(budget.isExceeded(rawOf(request))).toBe(false);
      }
    }),
    { numRuns: 30 },
  );
});

test("a client that repeats headers from the HPACK table exceeds the budget within 64 KB, regardless of the length and number of the headers", () => {
  const shape = fc.record({
    length: fc.integer({ min: 1, max: 4000 }),
    bytes: fc.integer({ min: 8 * 1024, max: 64 * 1024 }),
  });
  fc.assert(
    fc.property(shape, ({ length, bytes }) => {
      const header: Header = ["x-a", "v".repeat(length)];
      const repeated = Array<Header>(Math.ceil(bytes / sizeOf(header))).fill(header);
      const encoder = new Encoder();
      let received = 0;
      const budget = new HeaderBudget(() => received);
      let decoded = 0;
      for (;;) {
        received += encoder.encode(repeated);
        if (budget.isExceeded(rawOf(repeated))) break;
        decoded += repeated.reduce((sum, each) => sum + sizeOf(each), 0);
      }
      // the factor is 2 because the budget ignores the table, which may hold half of the smallest of these
      // requests
      expect(decoded).toBeLessThanOrEqual(2 * (64 * 1024 + 4 * received));
      expect(received).toBeLessThan(64 * 1024);
    }),
    { numRuns: 100 },
  );
});
