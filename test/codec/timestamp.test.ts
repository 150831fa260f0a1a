import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { JsonValue } from "connect-rest-codec/internal";
import {
  durationFrom,
  instantFrom,
  NumberText,
  ProtoWriter,
  type TimeRule,
} from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { difference, numberOf, written } from "../../codec/src/testing/kinds.ts";
import { durationText, timeJson, timeText } from "../../runtime/src/request/time-text.ts";

const PATTERN: TimeRule = { pattern: "YYYY-MM-DD HH:mm:ss GMT" };

function iso(value: JsonValue, rule: TimeRule): string | undefined {
  const instant = instantFrom(value, rule);
  if (instant === undefined) return undefined;
  const fraction = String(instant.nanos).padStart(9, "0");
  return `${new Date(instant.seconds * 1_000).toISOString().slice(0, 19)}.${fraction}Z`;
}

function timestamp(seconds: bigint, nanos = 0): Timestamp {
  return { $typeName: "google.protobuf.Timestamp", seconds, nanos };
}

function duration(seconds: bigint, nanos: number): Duration {
  return { $typeName: "google.protobuf.Duration", seconds, nanos };
}

test.each<[JsonValue, TimeRule, string]>([
  [0, "seconds", "1970-01-01T00:00:00.000000000Z"],
  [1_700_000_000, "seconds", "2023-11-14T22:13:20.000000000Z"],
  ["1700000000", "seconds", "2023-11-14T22:13:20.000000000Z"],
  [1_700_000_000.25, "seconds", "2023-11-14T22:13:20.250000000Z"],
  [-1, "seconds", "1969-12-31T23:59:59.000000000Z"],
  [-0.5, "seconds", "1969-12-31T23:59:59.500000000Z"],
  [-1.5, "seconds", "1969-12-31T23:59:58.500000000Z"],
  [0.999_999_999, "seconds", "1970-01-01T00:00:00.999999999Z"],
  [1_700_000_000_123, "millis", "2023-11-14T22:13:20.123000000Z"],
  ["1767225600.123456789", "seconds", "2026-01-01T00:00:00.123456789Z"],
  ["-0.000000001", "seconds", "1969-12-31T23:59:59.999999999Z"],
  ["1767225600123.456789", "millis", "2026-01-01T00:00:00.123456789Z"],
  ["1.767225600e9", "seconds", "2026-01-01T00:00:00.000000000Z"],
  ["1e-7", "seconds", "1970-01-01T00:00:00.000000100Z"],
  [-1, "millis", "1969-12-31T23:59:59.999000000Z"],
  [1.5, "millis", "1970-01-01T00:00:00.001500000Z"],
  [1_700_000_000_123_456, "micros", "2023-11-14T22:13:20.123456000Z"],
  [-1, "micros", "1969-12-31T23:59:59.999999000Z"],
  [9_007_199_254_740_993n, "micros", "2255-06-05T23:47:34.740993000Z"],
  [-9_007_199_254_740_993n, "micros", "1684-07-28T00:12:25.259007000Z"],
  [-62_135_596_800, "seconds", "0001-01-01T00:00:00.000000000Z"],
  [253_402_300_799, "seconds", "9999-12-31T23:59:59.000000000Z"],
])("reads the count %s in %s as a time", (value, rule, text) => {
  expect(iso(value, rule)).toBe(text);
});

test.each<[JsonValue, TimeRule]>([
  [-62_135_596_801, "seconds"],
  [253_402_300_800, "seconds"],
  [Number.POSITIVE_INFINITY, "seconds"],
  [10n ** 30n, "micros"],
  ["soon", "seconds"],
  [true, "seconds"],
  [{}, "millis"],
  [[1], "millis"],
])("rejects the count %s in %s", (value, rule) => {
  expect(instantFrom(value, rule)).toBeUndefined();
});

test.each([
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000000Z"],
  ["2026-01-02t03:04:05z", "2026-01-02T03:04:05.000000000Z"],
  ["2026-01-02 03:04:05 GMT", "2026-01-02T03:04:05.000000000Z"],
  ["2026-01-02T03:04:05", "2026-01-02T03:04:05.000000000Z"],
  ["2026-01-02T03:04Z", "2026-01-02T03:04:00.000000000Z"],
  ["2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123456789Z"],
  ["2026-01-02T03:04:05.1234567891Z", "2026-01-02T03:04:05.123456789Z"],
  ["2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.500000000Z"],
  ["2026-01-02T03:04:05+05:30", "2026-01-01T21:34:05.000000000Z"],
  ["2026-01-02T03:04:05-0800", "2026-01-02T11:04:05.000000000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000000Z"],
  ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000000Z"],
  ["2026-12-31T24:00:00Z", "2027-01-01T00:00:00.000000000Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000000Z"],
])("reads the ISO 8601 time %s", (value, text) => {
  expect(iso(value, "iso8601")).toBe(text);
});

test.each([
  "2023-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-01-01T25:00:00Z",
  "2026-01-01T24:00:01Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:61Z",
  "2026-01-01T00:00:00+99:99",
  "2026-01-01T00:00:00+24:00",
  "0000-01-01T00:00:00Z",
  "2026-01-01T00:00:00Zzz",
  "yesterday",
])("rejects %s as an ISO 8601 time", (value) => {
  expect(instantFrom(value, "iso8601")).toBeUndefined();
  expect(instantFrom(5, "iso8601")).toBeUndefined();
});

test.each([
  ["2026-01-02 03:04:05 GMT", PATTERN, "2026-01-02T03:04:05.000000000Z"],
  ["2024-02-29 00:00:00 GMT", PATTERN, "2024-02-29T00:00:00.000000000Z"],
  ["02.01.2026", { pattern: "DD.MM.YYYY" }, "2026-01-02T00:00:00.000000000Z"],
  ["20260102T0304", { pattern: "YYYYMMDDTHHmm" }, "2026-01-02T03:04:00.000000000Z"],
  ["2026", { pattern: "YYYY" }, "2026-01-01T00:00:00.000000000Z"],
])("reads %s with a pattern", (value, rule, text) => {
  expect(iso(value, rule)).toBe(text);
});

test.each([
  "2026-01-02 03:04:05 UTC",
  "2026-01-02 03:04:05",
  "2026-02-30 03:04:05 GMT",
  "2026-1 -02 03:04:05 GMT",
  "2026-01-02 03:04:0x GMT",
  "2026-01-02 03:99:05 GMT",
  "",
])("rejects %j for the pattern", (value) => {
  expect(instantFrom(value, PATTERN)).toBeUndefined();
  expect(instantFrom(20_260_102, PATTERN)).toBeUndefined();
});

const time = (value: JsonValue | undefined, rule: TimeRule = "seconds", none?: string) =>
  written((out) => out.time(numberOf("time"), value, "k", rule, none));

test("a field of type google.protobuf.Timestamp: null, a missing key, an empty string and the configured string for an absent time leave the field unset", () => {
  expect(time(null)).toEqual({ json: {}, differences: [], inexact: false });
  expect(time(undefined)).toEqual({ json: {}, differences: [], inexact: false });
  expect(time(0, "seconds", "0")).toEqual({ json: {}, differences: [], inexact: false });
  expect(time("0", "seconds", "0")).toEqual({ json: {}, differences: [], inexact: false });
  expect(time("").differences).toEqual([difference("converted", "k", "time", 'string ""')]);
  expect(time(0).json).toEqual({ time: "1970-01-01T00:00:00Z" });
});

test("a field of type google.protobuf.Timestamp: an invalid time is omitted, and reported with the expected notation", () => {
  expect(time("soon").differences).toEqual([difference("lost", "k", "time in seconds", 'string "soon"')]);
  expect(time(5, PATTERN).differences).toEqual([
    difference("lost", "k", "time in YYYY-MM-DD HH:mm:ss GMT", "number 5"),
  ]);
  expect(time([0], "seconds", "0").differences).toEqual([
    difference("lost", "k", "time in seconds", "array"),
  ]);
});

test("a field of type google.protobuf.Timestamp: a count that JSON.parse rounded is never used", () => {
  expect(time(2 ** 53, "micros")).toEqual({ json: {}, differences: [], inexact: true });
});

test("a field of type google.protobuf.Timestamp: an object that overrides toString or valueOf is reported as lost", () => {
  for (const hostile of [{ toString: 1 }, { toString: "x", valueOf: {} }]) {
    expect(time(hostile, "seconds", "0").differences).toEqual([
      difference("lost", "k", "time in seconds", "object"),
    ]);
    const span = written((out) => out.duration(numberOf("duration"), hostile, "k"));
    expect(span.differences).toEqual([difference("lost", "k", "duration", "object")]);
  }
});

const spanField = (value: JsonValue | undefined) =>
  written((out) => out.duration(numberOf("duration"), value, "k"));

test.each([
  ["3.5s", "3.500s"],
  ["-3.5s", "-3.500s"],
  ["-0.5s", "-0.500s"],
  ["0s", "0s"],
  ["0.000000001s", "0.000000001s"],
  ["315576000000s", "315576000000s"],
  ["-315576000000s", "-315576000000s"],
])("a field of type google.protobuf.Duration: reads %j", (value, text) => {
  expect(spanField(value)).toEqual({ json: { duration: text }, differences: [], inexact: false });
});

test.each([
  [90, "90s"],
  [1.25, "1.250s"],
  [-1, "-1s"],
  ["7", "7s"],
])(
  "a field of type google.protobuf.Duration: reads %j as seconds, and reports the missing unit",
  (value, text) => {
    const got = typeof value === "string" ? `string "${value}"` : `number ${value}`;
    const differences = [difference("converted", "k", "duration", got)];
    expect(spanField(value)).toEqual({ json: { duration: text }, differences, inexact: false });
  },
);

test.each([["3 s"], ["1m"], ["s"], ["315576000001s"], ["315576000000.1s"], [1e21], [true], [{}], [[]]])(
  "a field of type google.protobuf.Duration: omits the invalid value %j",
  (value) => {
    expect(spanField(value)).toMatchObject({
      json: {},
      differences: [{ class: "lost", path: "k", expected: "duration" }],
    });
  },
);

test("a field of type google.protobuf.Duration: null, a missing key and an empty string leave the field unset", () => {
  expect(spanField(null)).toEqual({ json: {}, differences: [], inexact: false });
  expect(spanField(undefined)).toEqual({ json: {}, differences: [], inexact: false });
  expect(spanField("").differences).toEqual([difference("converted", "k", "duration", 'string ""')]);
});

test("a field of type google.protobuf.Duration: reads every result of durationText", () => {
  const seconds = fc.integer({ min: -315_575_999_999, max: 315_575_999_999 });
  fc.assert(
    fc.property(seconds, fc.nat(999_999_999), (whole, fraction) => {
      const nanos = whole < 0 ? -fraction : fraction;
      const text = durationText({ $typeName: "google.protobuf.Duration", seconds: BigInt(whole), nanos });
      const read = durationFrom(text);
      expect({ seconds: BigInt(read?.seconds ?? 0), nanos: (read?.nanos ?? 0) + 0 }).toEqual({
        seconds: BigInt(whole),
        nanos: nanos + 0,
      });
    }),
  );
});

test.each<[bigint, number, TimeRule, string]>([
  [0n, 0, "seconds", "0"],
  [1_700_000_000n, 0, "seconds", "1700000000"],
  [1_700_000_000n, 250_000_000, "seconds", "1700000000.25"],
  [0n, 5_000_000, "millis", "5"],
  [0n, 1, "seconds", "0.000000001"],
  [1_700_000_000n, 123_456_000, "millis", "1700000000123.456"],
  [1_700_000_000n, 123_456_000, "micros", "1700000000123456"],
  [-1n, 0, "millis", "-1000"],
  [-1n, 500_000_000, "seconds", "-0.5"],
  [-1n, 500_000_000, "millis", "-500"],
  [-2n, 999_999_999, "seconds", "-1.000000001"],
  [1_700_000_000n, 0, "iso8601", "2023-11-14T22:13:20Z"],
  [1_700_000_000n, 100_000_000, "iso8601", "2023-11-14T22:13:20.100Z"],
  [1_700_000_000n, 1_000, "iso8601", "2023-11-14T22:13:20.000001Z"],
  [1_700_000_000n, 1, "iso8601", "2023-11-14T22:13:20.000000001Z"],
  [-62_135_596_800n, 0, "iso8601", "0001-01-01T00:00:00Z"],
  [1_700_000_000n, 0, PATTERN, "2023-11-14 22:13:20 GMT"],
])("writes %s s %s ns in %j as %s", (seconds, nanos, rule, text) => {
  expect(timeText(timestamp(seconds, nanos), rule)).toBe(text);
});

test.each<[bigint, number, TimeRule, string, string]>([
  [10n, 0, "seconds", "10", "10"],
  [10n, 1, "seconds", "10", "11"],
  [10n, 999_999_999, "millis", "10999", "11000"],
  [10n, 1_001, "micros", "10000001", "10000002"],
  [-10n, 500_000_000, "seconds", "-10", "-9"],
  [10n, 500_000_000, "iso8601", "1970-01-01T00:00:10Z", "1970-01-01T00:00:11Z"],
  [10n, 500_000_000, PATTERN, "1970-01-01 00:00:10 GMT", "1970-01-01 00:00:11 GMT"],
  [10n, 1, "http_date", "Thu, 01 Jan 1970 00:00:10 GMT", "Thu, 01 Jan 1970 00:00:11 GMT"],
  [61n, 1, { pattern: "HH:mm YYYY-MM-DD" }, "00:01 1970-01-01", "00:02 1970-01-01"],
  [1n, 0, { pattern: "YYYY-MM-DD" }, "1970-01-01", "1970-01-02"],
  [31n * 86_400n, 0, { pattern: "MM/YYYY" }, "02/1970", "02/1970"],
  [364n * 86_400n, 0, { pattern: "MM/YYYY" }, "12/1970", "01/1971"],
  [1n, 0, { pattern: "YYYY" }, "1970", "1971"],
])(
  "writes %s s %s ns in %j as %s when rounded down, and as %s when rounded up",
  (seconds, nanos, rule, down, up) => {
    const time = timestamp(seconds, nanos);
    expect([timeText(time, rule, "down"), timeText(time, rule, "up")]).toEqual([down, up]);
  },
);

test.each<[bigint, number, TimeRule, string]>([
  [10n, 1, "http_date", "Thu, 01 Jan 1970 00:00:10 GMT"],
  [10n, 1, "rfc2822", "Thu, 01 Jan 1970 00:00:10 +0000"],
  [10n, 1, PATTERN, "1970-01-01 00:00:10 GMT"],
  [10n, 0, { pattern: "YYYY-MM-DD" }, "1970-01-01"],
])("rejects %s s %s ns for the less precise notation %j", (seconds, nanos, rule, text) => {
  expect(() => timeText(timestamp(seconds, nanos), rule)).toThrow(
    `is more precise than its notation, ${text}`,
  );
});

test("rejects a time whose notation is configured to mean that there is no time", () => {
  expect(timeText(timestamp(1n), "seconds", undefined, "0")).toBe("1");
  expect(() => timeText(timestamp(0n), "seconds", undefined, "0")).toThrow(
    "1970-01-01T00:00:00Z is written as 0, which means that there is no time",
  );
});

test("rejects a time that rounding makes too large for a Timestamp", () => {
  const last = timestamp(253_402_300_799n, 1);
  expect(timeText(last, "seconds", "down")).toBe("253402300799");
  expect(() => timeText(last, "seconds", "up")).toThrow(ConnectError);
});

test("writes counts as exact JSON numbers, and other notations as strings", () => {
  expect(timeJson(timestamp(1_700_000_000n), "seconds")).toBe(1_700_000_000);
  expect(timeJson(timestamp(1n, 500_000_000), "seconds")).toBe(1.5);
  expect(timeJson(timestamp(253_402_300_799n, 1_000), "micros")).toBe(253_402_300_799_000_001n);
  expect(timeJson(timestamp(0n), "iso8601")).toBe("1970-01-01T00:00:00Z");
  expect(timeJson(timestamp(0n), PATTERN)).toBe("1970-01-01 00:00:00 GMT");
});

test.each<[bigint, number]>([
  [253_402_300_800n, 0],
  [-62_135_596_801n, 0],
  [10n ** 18n, 0],
  [0n, -1],
  [0n, 1_000_000_000],
])("rejects the invalid Timestamp %s s %s ns as an error of the caller", (seconds, nanos) => {
  for (const rule of ["seconds", "iso8601", PATTERN] as const) {
    let thrown: unknown;
    try {
      timeText(timestamp(seconds, nanos), rule);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConnectError);
    expect(ConnectError.from(thrown).code).toBe(Code.InvalidArgument);
  }
});

test("property: times and durations in any unit keep nine fractional digits, and further digits are reported", () => {
  const units = fc.constantFrom(["seconds", 0] as const, ["millis", 3] as const, ["micros", 6] as const);
  const digits = fc.stringMatching(/^[0-9]{1,14}$/);
  fc.assert(
    fc.property(fc.nat(2_000_000_000), digits, units, (seconds, fraction, [unit, shift]) => {
      const text = `${seconds}${fraction.slice(0, shift).padEnd(shift, "0")}.${fraction.slice(shift)}0`;
      const { differences, json } = written((out) => {
        out.time(numberOf("time"), text, "t", unit);
        out.duration(numberOf("duration"), text, "d", unit);
      });
      const nanos = Number(fraction.slice(0, 9).padEnd(9, "0"));
      expect(instantFrom(text, unit)).toMatchObject({ seconds, nanos });
      expect((json as { duration: string }).duration).toBe(durationText(duration(BigInt(seconds), nanos)));
      const cut = /[1-9]/.test(fraction.slice(9));
      expect(differences.map((each) => [each.class, each.path])).toEqual(
        cut
          ? [
              ["converted", "t"],
              ["converted", "d"],
            ]
          : [],
      );
    }),
    { numRuns: 500 },
  );
});

test("fractional digits after the ninth are dropped and reported, unless they are zeros", () => {
  const read = (time: string, span: string, rule?: "iso8601") =>
    written((out) => {
      out.time(numberOf("time"), time, "t", "iso8601");
      out.duration(numberOf("duration"), span, "d", rule);
    });
  const expected = "no more digits than nanoseconds have";
  expect(read("2026-01-02T03:04:05.1234567891Z", "1.1234567891s")).toEqual({
    json: { time: "2026-01-02T03:04:05.123456789Z", duration: "1.123456789s" },
    differences: [
      difference("converted", "t", expected, 'string "2026-01-02T03:04:05.1234567891Z"'),
      difference("converted", "d", expected, 'string "1.1234567891s"'),
    ],
    inexact: false,
  });
  expect(read("2026-01-02T03:04:05.1234567890Z", "PT1.1234567890S", "iso8601").differences).toEqual([]);
  expect(read("2026-01-02T03:04:05Z", "-PT0.0000000001S", "iso8601").differences).toEqual([
    difference("converted", "d", expected, 'string "-PT0.0000000001S"'),
  ]);
});

test("a time with a fraction is read again from its source text, since a double may have rounded the fraction", () => {
  const out = new ProtoWriter();
  const asks = (value: number) => {
    out.reset();
    out.time(numberOf("time"), value, "t", "seconds");
    return out.keptNumbers;
  };
  expect([asks(1_767_225_600), asks(1_767_225_600.25), asks(1_767_225_600.123_456_7)]).toEqual([
    false,
    true,
    true,
  ]);
  const exact = written((writer) => {
    writer.time(
      numberOf("time"),
      new NumberText("1767225600.123456789", 1_767_225_600.123_456_7),
      "t",
      "seconds",
    );
  }, true);
  expect(exact.json).toEqual({ time: "2026-01-01T00:00:00.123456789Z" });
});

test("property: a written time is read back unchanged, in every unit that can hold it", () => {
  const seconds = fc.bigInt(-62_135_596_800n, 253_402_300_799n);
  const units = fc.constantFrom<[TimeRule, number]>(
    ["seconds", 1_000_000_000],
    ["millis", 1_000_000],
    ["micros", 1_000],
    ["iso8601", 1],
    [PATTERN, 1_000_000_000],
  );
  fc.assert(
    fc.property(seconds, fc.nat(999_999_999), units, (whole, fraction, [rule, step]) => {
      const nanos = fraction - (fraction % step);
      for (const write of [timeText, timeJson]) {
        const read = instantFrom(write(timestamp(whole, nanos), rule), rule);
        expect(read).toMatchObject({ seconds: Number(whole), nanos, isCut: false });
        expect(read?.isLocal ?? false).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("property: any JSON value is read as a valid time or rejected", () => {
  const rules = fc.constantFrom<TimeRule>("seconds", "millis", "micros", "iso8601", PATTERN);
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789-T:.+ GMTZ"), maxLength: 30 });
  fc.assert(
    fc.property(fc.oneof(digits, fc.jsonValue(), fc.bigInt(), fc.double()), rules, (value, rule) => {
      const instant = instantFrom(value as JsonValue, rule);
      if (instant === undefined) return;
      expect(Number.isInteger(instant.seconds)).toBe(true);
      expect(instant.nanos).toBeGreaterThanOrEqual(0);
      expect(instant.nanos).toBeLessThan(1_000_000_000);
    }),
    { numRuns: 2_000 },
  );
});

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
/** The offsets of email time zones from UTC, in hours (RFC 5322 section 4.3). */
const ZONES: ReadonlyArray<readonly [zone: string, hours: number]> = [
  ["GMT", 0], ["UT", 0], ["UTC", 0], ["Z", 0], ["gmt", 0], ["-0000", 0], ["+0530", 5.5], ["-0800", -8], ["+1400", 14],
  ["EST", -5], ["EDT", -4], ["CST", -6], ["CDT", -5], ["MST", -7], ["MDT", -6], ["PST", -8], ["PDT", -7],
]; // biome-ignore format: a table
const two = (value: number) => String(value).padStart(2, "0");

/** Returns a date in the three HTTP formats, and in the email formats for a zone. */
function formsOf(seconds: number, zone: string, hours: number): Readonly<Record<string, string>> {
  const parts = (at: number) => {
    const date = new Date(at * 1000);
    const [weekday, month] = [DAYS[date.getUTCDay()] ?? "", MONTHS[date.getUTCMonth()] ?? ""];
    const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
    return { weekday, month, time, day: date.getUTCDate(), year: date.getUTCFullYear() };
  };
  const utc = parts(seconds);
  const local = parts(seconds + hours * 3600);
  const short = utc.weekday.slice(0, 3);
  const there = `${local.day} ${local.month}`;
  return {
    "IMF-fixdate": `${short}, ${two(utc.day)} ${utc.month} ${utc.year} ${utc.time} GMT`,
    "RFC 850": `${utc.weekday}, ${two(utc.day)}-${utc.month}-${two(utc.year % 100)} ${utc.time} GMT`,
    asctime: `${short} ${utc.month} ${String(utc.day).padStart(2)} ${utc.time} ${utc.year}`,
    mail: `${local.weekday.slice(0, 3)}, ${there} ${local.year} ${local.time} ${zone}`,
    "mail without a day": `${there} ${local.year} ${local.time} ${zone}`,
    "mail with a comment": `${there} ${local.year}\t${local.time}  ${zone} (somewhere)`,
    "mail with a short year": `${there} ${two(local.year % 100)} ${local.time} ${zone}`,
  };
}

test("property: HTTP and email dates are read in every format and zone of the RFCs", () => {
  const now = Math.floor(Date.now() / 1000);
  fc.assert(
    // Two-digit years are unambiguous in this range.
    fc.property(
      fc.integer({ min: now - 49 * 31_556_952, max: now }),
      fc.constantFrom(...ZONES),
      (seconds, [zone, hours]) => {
        for (const [form, text] of Object.entries(formsOf(seconds, zone, hours))) {
          const rule = form.startsWith("mail") ? "rfc2822" : "http_date";
          expect([form, text, instantFrom(text, rule)?.seconds]).toEqual([form, text, seconds]);
        }
      },
    ),
  );
});

test.each([
  ["Sunday, 06-Nov-94 08:49:37 GMT", "http_date", "1994-11-06"],
  ["Thu, 01-Jan-2026 00:00:00 GMT", "http_date", "2026-01-01"],
  ["6 Nov 50 08:49:37 GMT", "rfc2822", "1950-11-06"],
  ["6 Nov 49 08:49:37 GMT", "rfc2822", "2049-11-06"],
  ["6 Nov 101 08:49:37 GMT", "rfc2822", "2001-11-06"],
] as const)("reads the short year of %s", (text, rule, day) => {
  expect(iso(text, rule)?.slice(0, 10)).toBe(day);
});

test.each([
  ["6 Nov 1994 08:49:37 A"],
  ["6 Nov 1994 08:49:37 XST"],
  ["6 Nov 1994 08:49:37"],
  ["31 Feb 1994 08:49:37 GMT"],
  ["6 Nox 1994 08:49:37 GMT"],
  ["6 Nov 1994 08:49:37 +0060"],
])("rejects the email date %s", (text) => {
  expect(instantFrom(text, "rfc2822")).toBeUndefined();
});

test.each<readonly [JsonValue, string | undefined]>([
  ["3.5s", undefined],
  ["0s", undefined],
  [3.5, "converted"],
  [0, "converted"],
  ["3.5", "converted"],
  ["x", "lost"],
])("reads the duration %j without a rule", (value, as) => {
  const out = new ProtoWriter();
  out.duration(1, value, "d");
  expect(out.found().list.map((each) => each.class)).toEqual(as === undefined ? [] : [as]);
});

test("property: a lone surrogate is reported as lost, and replaced by U+FFFD", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 0x7ff }), fc.string(), (before, half, after) => {
      const text = `${before.toWellFormed()}${String.fromCharCode(0xd800 + half)}${after}`;
      fc.pre(!text.isWellFormed());
      for (const kind of ["string", "textBytes"] as const) {
        const out = new ProtoWriter();
        out[kind](1, text, "t");
        expect(out.found().list.map((each) => each.class)).toEqual(["lost"]);
        expect(Buffer.from(out.finish()).includes(Buffer.from(text.toWellFormed()))).toBe(true);
      }
    }),
  );
});

test("property: a date of HTTP or mail with another day of the week is read by its date, and reported", () => {
  const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (number: number) => String(number).padStart(2, "0");
  const rules = fc.constantFrom<TimeRule>("http_date", "rfc2822");
  // noon, so that no zone changes the day
  const days = fc.integer({ min: -7_000, max: 40_000 }).map((day) => new Date((day + 0.5) * 86_400_000));
  fc.assert(
    fc.property(days, fc.nat(6), fc.boolean(), rules, (date, name, isLong, rule) => {
      const day = date.getUTCDate();
      const month = MONTHS[date.getUTCMonth()];
      const text = isLong
        ? `${DAYS[name]} ${month} ${String(day).padStart(2)} 12:00:00 ${date.getUTCFullYear()}`
        : `${DAYS[name]}, ${two(day)} ${month} ${date.getUTCFullYear()} 12:00:00 GMT`;
      const { differences, json } = written((writer) => writer.time(numberOf("time"), text, "t", rule));
      expect([text, json]).toEqual([text, { time: date.toISOString().replace(".000", "") }]);
      const classes = differences.map((each) => each.class);
      expect([text, classes]).toEqual([text, name === date.getUTCDay() ? [] : ["converted"]]);
    }),
  );
});
