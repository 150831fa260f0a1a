import fc from "fast-check";
import { expect, test } from "vitest";
import { decoded } from "./both.ts";
import { methodOf, read } from "./field.ts";

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Returns bytes whose base64 contains every digit as the length grows. */
function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 151 + length * 37 + 251) & 0xff));
}

/** Returns the base64 spellings of some bytes. */
function spellingsOf(bytes: Buffer): string[] {
  const standard = bytes.toString("base64");
  const bare = standard.replace(/=+$/, "");
  const url = bytes.toString("base64url");
  return [standard, bare, url, url.padEnd(standard.length, "="), standard.replace("+", "-")];
}

const LENGTHS = Array.from({ length: 101 }, (_, length) => length);

test("the scanner reads base64 of any length, in both alphabets, with and without padding", () => {
  for (const length of LENGTHS) {
    const bytes = bytesOf(length);
    for (const text of spellingsOf(bytes)) {
      const { message, differences } = read("bytes", quoted(text)) ?? {};
      expect(message, text).toMatch(new RegExp(`${bytes.toString("hex")}$`));
      expect(differences?.list).toEqual([]);
    }
  }
});

test("the scanner reads base64 with line breaks and escapes", () => {
  const ends = ["\n", "\r\n", " ", "\t", "\f"];
  for (const text of LENGTHS.flatMap((length) => spellingsOf(bytesOf(length)))) {
    const inLines = [1, 3, 60, 76].flatMap((width) => {
      const lines = text.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
      return ends.map((end) => quoted(lines.map((line) => line + end).join("")));
    });
    const escaped = quoted(text).replaceAll("/", "\\/").replaceAll("=", "\\u003d").replaceAll("A", "\\u0041");
    for (const token of [...inLines, escaped]) expect(read("bytes", token), token).toBeDefined();
  }
});

/** Yields base64 with one change, which may make it invalid base64 (`lost`) or invalid JSON (`left`). */
function* changed(text: string): Generator<readonly [token: string, as?: "lost" | "left"]> {
  for (let at = 0; at <= text.length; at += 1 + Math.floor(text.length / 20)) {
    const front = text.slice(0, at);
    yield [quoted(front)];
    for (const rest of [text.slice(at), text.slice(at + 1)]) {
      for (const wrong of WRONG) yield [quoted(front + wrong + rest), "lost"];
      for (const padding of ["=", "==", "==="]) yield [quoted(front + padding + rest)];
      for (const wrong of WRONG_ESCAPES) yield [`"${front}${wrong}${rest}"`, "lost"];
      for (const broken of BROKEN_TEXTS) yield [`"${front}${broken}${rest}"`, "left"];
    }
  }
}

const WRONG = ["!", "é", "\u0000", '"', "\\", "\b", "\u{1f600}", ".", "\u00a0", "\u007f", "\u0141"];
const WRONG_ESCAPES = ["\\ud800", "\\u0141"];
const BROKEN_TEXTS = ["\n", "\\x", "\\u12!", '"'];

test("invalid base64 is lost, wherever the error is", () => {
  for (const length of LENGTHS) {
    for (const [token, as] of changed(bytesOf(length).toString("base64"))) {
      const found = read("bytes", token);
      if (as === "left") expect(found, token).toBeUndefined();
      if (as === "lost") expect(found?.differences.counts.lost, token).toBe(1);
    }
  }
});

test.each(["A", "AAAAA", "AA=A", "AA===", "=AA="])("the invalid base64 %s is lost", (text) => {
  expect(read("bytes", quoted(text))?.differences.counts.lost).toBe(1);
});

test("the scanner reads base64 with unused bits in its last digit", () => {
  for (const digit of ["A", "f", "g", "/", "_", "9"]) {
    for (const text of [`A${digit}`, `A${digit}==`, `AA${digit}`, `AA${digit}=`, `AAAAA${digit}=`]) {
      expect(read("bytes", quoted(text)), text).toBeDefined();
    }
  }
});

const BOUNDS: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

const INTEGER_KINDS = [
  ["int32", "int32"], ["sint32", "int32"], ["sfixed32", "int32"], ["uint32", "uint32"], ["fixed32", "uint32"],
  ["int64", "int64"], ["sint64", "int64"], ["sfixed64", "int64"], ["uint64", "uint64"], ["fixed64", "uint64"],
] as const; // biome-ignore format: a table

test.each(INTEGER_KINDS)(
  "the scanner reads a %s with zeros after the decimal point, within the bounds of %s",
  (kind, bounds) => {
    const [min, max] = BOUNDS[bounds] ?? [0n, 0n];
    for (const integer of [min, min + 1n, max - 1n, max, 0n, 1n, 7n, 12n, 100n, 2n ** 31n - 1n]) {
      const plain = read(kind, String(integer));
      expect(plain).toBeDefined();
      for (const zeros of [".0", ".00", `.${"0".repeat(32)}`]) {
        const token = `${integer}${zeros}`;
        expect(read(kind, token), token).toEqual(plain);
        // For 32-bit types, a number in a string is reported as a difference.
        const { message, differences } = read(kind, quoted(token)) ?? {};
        expect(message, token).toBe(plain?.message);
        expect(differences?.counts.converted, token).toBe(kind.endsWith("64") ? 0 : 1);
      }
    }
  },
);

/** Returns the value of JSON, or undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ODD_INTEGERS = ["-0.0", "00.0", "01.0", "-.0", "+1.0", ".0", '"-0.0"', '"01.0"', '" 1.0"', '"1.0 "'];

test.each(INTEGER_KINDS)(
  "a token that is not a valid %s within the bounds of %s is read like by the decoder",
  (kind, bounds) => {
    const [min, max] = BOUNDS[bounds] ?? [0n, 0n];
    const behind = [".5", ".01", ".0e0", ".0E1", ".", "e0", `.${"0".repeat(40)}1`];
    const others = [min, max, 0n, 12n].flatMap((integer) => behind.map((each) => `${integer}${each}`));
    const beyond = [min - 1n, max + 1n, max * 10n, 2n ** 64n, 10n ** 19n + 2n ** 64n, 10n ** 20n];
    const spellings = [...others, ...beyond.flatMap((integer) => [`${integer}`, `${integer}.0`])];
    for (const token of spellings) {
      for (const each of [token, quoted(token)]) {
        const found = read(kind, each);
        const json = parsed(each);
        if (json === undefined) expect(found, each).toBeUndefined();
        // reports describe numbers in another notation only after the whole body is parsed again
        if (typeof json === "string" || (String(json) === each && Math.abs(Number(json)) < 2 ** 53)) {
          expect(found, each).toEqual(decoded(methodOf(kind), Buffer.from(`{"key":${each}}`)));
        }
      }
    }
    for (const token of ODD_INTEGERS) read(kind, token);
  },
);

test("property: an integer of any length is read as the nearest double", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?[1-9][0-9]{0,24}$/), (digits) => {
      for (const token of [digits, `${digits}.0`]) {
        expect(read("double", token), token).toBeDefined();
        for (const kind of ["float", "value"] as const) read(kind, token);
      }
    }),
    { numRuns: 3000 },
  );
});
