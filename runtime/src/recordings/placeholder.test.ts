import { type JsonValue, parseJsonVerbatim, stringifyJson } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Placeholders } from "./placeholder.ts";

const placeholders = new Placeholders();

/** Returns the class of each character: digits, upper case, other letters, and the character itself. */
function shapeOf(text: string): string {
  return text
    .replace(/\d/g, "0")
    .replace(/[A-Z]/g, "A")
    .replace(/[a-z\u0080-\uffff]/g, "a");
}

const replaced = (text: string) => placeholders.of(text) as string;
const replacedNumber = (source: string) =>
  stringifyJson(placeholders.of(parseJsonVerbatim(`[${source}]`) ?? JSON.parse(`[${source}]`))).slice(1, -1);

test("property: a text keeps its length and the kinds of its characters, and equal texts stay equal", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[A-Za-z0-9._@/ -]{12,40}$/),
    fc.uuid(),
    fc.emailAddress(),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const shown = replaced(text);
      if (!/^(?:true|false)$/.test(text)) expect(shapeOf(shown)).toBe(shapeOf(text));
      expect(replaced(text)).toBe(shown);
      if ((text.match(/[A-Za-z0-9]/g) ?? []).length > 24) expect(shown).not.toBe(text);
    }),
  );
});

test("two recordings have different placeholders for the same value", () => {
  const text = "b2c4d6f8a0".repeat(3);
  expect(new Placeholders().of(text)).not.toBe(new Placeholders().of(text));
});

const WIDTHS = [2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 63n - 1n, 2n ** 64n - 1n];

test("property: a number keeps its sign, its number of digits, its width, its fraction and its exponent", () => {
  const whole = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.bigInt({ min: 0n, max: 10n ** 6n }),
    fc.integer({ min: 946_684_800, max: 1_900_000_000 }).map(BigInt),
  );
  const rest = fc.constantFrom("", ".0", ".5", ".250", ".00000001", "e3", ".5E-7");
  fc.assert(
    fc.property(whole, fc.boolean(), rest, (value, isNegative, end) => {
      const source = `${isNegative && value > 0n ? "-" : ""}${value}${end}`;
      for (const shown of [replacedNumber(source), replaced(source)]) {
        expect(shapeOf(shown)).toBe(shapeOf(source));
        const [integer = ""] = /\d+/.exec(shown) ?? [];
        const width = (each: bigint) => WIDTHS.findIndex((max) => each <= max);
        if (value >= 10n ** 9n) expect(width(BigInt(integer))).toBe(width(value));
        if (value === 0n) expect(/[1-9]/.test(shown.replace(/e.*/i, ""))).toBe(/\.0*[1-9]/.test(end));
        expect(/\.0+$/.test(shown)).toBe(/\.0+$/.test(source));
      }
    }),
  );
});

const ZONE = /(?:GMT|Z|[+-]\d\d:?\d\d)$/;

test("property: a time keeps its notation and is a valid time", () => {
  const notations: ReadonlyArray<(time: Date) => string> = [
    (time) => time.toISOString(),
    (time) => time.toISOString().slice(0, 10),
    (time) => time.toISOString().slice(0, 16).replace("T", " "),
    (time) => time.toISOString().slice(0, 19).replace("T", " "),
    (time) => `${time.toISOString().slice(0, 19)}+02:00`,
    (time) => `${time.toISOString().slice(0, 19)} GMT`,
    (time) => time.toISOString().replace("Z", "123456+0530"),
    (time) => time.toUTCString(),
    (time) => time.toUTCString().replace("GMT", "-0700").replace(", 0", ", "),
  ];
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }), (time) => {
      for (const notation of notations) {
        const text = notation(time);
        const shown = replaced(text);
        expect(shown.replace(/[A-Z][a-z]{2}/g, "Abc").replace(/\d/g, "0")).toBe(
          text.replace(/[A-Z][a-z]{2}/g, "Abc").replace(/\d/g, "0"),
        );
        expect(ZONE.exec(shown)?.[0]).toBe(ZONE.exec(text)?.[0]);
        const parsed = new Date(
          shown
            .replace("+0530", "+05:30")
            .replace(/(T.*) GMT$/, "$1Z")
            .replace(/(\.\d{3})\d+/, "$1"),
        );
        expect(parsed.getTime()).not.toBeNaN();
        if (/^[A-Z]/.test(text)) expect(shown.slice(0, 3)).toBe(weekdayOf(shown));
      }
    }),
  );
});

function weekdayOf(text: string): string {
  return new Date(text.replace(/(?:GMT|[+-]\d{4})$/, "GMT")).toUTCString().slice(0, 3);
}

test("property: a value keeps its structure, its keys and its types", () => {
  const structure = (value: JsonValue | undefined): unknown => {
    if (Array.isArray(value)) return value.map(structure);
    if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, structure(each as JsonValue)]),
    );
  };
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text) as JsonValue;
      expect(structure(JSON.parse(stringifyJson(placeholders.of(value))))).toEqual(structure(value));
    }),
  );
});
