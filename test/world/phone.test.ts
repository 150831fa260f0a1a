import fc from "fast-check";
import { expect, test } from "vitest";
import { spanFrom } from "../../codec/src/decode/duration.ts";
import { instantFrom } from "../../codec/src/decode/timestamp.ts";
import type { DurationRule } from "../../codec/src/table/kinds.ts";
import { spanJson, spanText } from "../../runtime/src/request/time-text.ts";
import { PhoneService } from "../gen/world/v1/phone_pb.ts";
import { PhoneServiceRest } from "../gen/world/v1/phone_rest.ts";
import { type Answers, start } from "../rules/world.ts";

const phone = (answers: Answers) =>
  start(PhoneService, PhoneServiceRest, answers, {
    upstream: { credentials: { basic: { username: "AC1", password: "token" } } },
  });

const at = (text: string) => ({ seconds: BigInt(Date.parse(text) / 1000), nanos: 0 });
const CALL = { sid: "CA1", date_created: "Tue, 31 Aug 2010 20:36:28 +0000", duration: "15" };

test("a form is sent with capitalised names, durations as counts, and email dates", async () => {
  const { client, seen, differences } = await phone({ json: CALL });
  const call = await client.createCall({
    account: "AC1",
    to: "+49 1",
    statusCallbackEvent: ["ringing", "answered"],
    timeout: { seconds: 20n, nanos: 0 },
    start: at("2026-01-02T03:04:05Z"),
  });
  expect(call).toMatchObject({
    sid: "CA1",
    dateCreated: at("2010-08-31T20:36:28Z"),
    duration: { seconds: 15n },
  });
  expect(seen[0]?.line).toBe("POST /2010/Accounts/AC1/Calls.json");
  expect([...new URLSearchParams(seen[0]?.text)].map((pair) => pair.join("="))).toEqual([
    "To=+49 1",
    "StatusCallbackEvent=ringing",
    "StatusCallbackEvent=answered",
    "Timeout=20",
    "StartTime=Fri, 02 Jan 2026 03:04:05 +0000",
  ]);
  expect(differences).toEqual([]);
});

test("HTTP dates are written to and read from headers", async () => {
  const modified = "Sun, 06 Nov 1994 08:49:37 GMT";
  const { client, seen } = await phone([
    { json: CALL, headers: { "last-modified": modified } },
    { status: 304 },
  ]);
  const call = await client.getCall({ account: "AC1", id: "CA1" });
  expect([call.modified, call.unchanged]).toMatchObject([at("1994-11-06T08:49:37Z"), false]);
  const again = await client.getCall({ account: "AC1", id: "CA1", since: at("1994-11-06T08:49:37Z") });
  expect(again.unchanged).toBe(true);
  expect(seen[0]?.line).toBe("GET /2010/Accounts/AC1/Calls/CA1.json");
  expect(seen[1]?.headers).toContain(`if-modified-since: ${modified}`);
});

test("durations in every notation, and times in milliseconds and nanoseconds, survive a round trip", async () => {
  const timers = {
    millis: { seconds: 1n, nanos: 500_000_000 },
    nanos: { seconds: 9_007_199n, nanos: 254_740_993 },
    iso: { seconds: 5_430n, nanos: 250_000_000 },
    plain: { seconds: 3n, nanos: 500_000_000 },
    stamp: { seconds: 1_767_225_600n, nanos: 123_456_789 },
    created: { seconds: 1_767_225_600n, nanos: 123_000_000 },
  };
  const { client, seen, differences } = await phone(({ text }) => ({ body: text }));
  expect(await client.setTimers(timers)).toMatchObject(timers);
  expect(seen[0]?.text).toBe(
    '{"millis":1500,"nanos":9007199254740993,"iso":"PT1H30M30.25S","plain":"3.500s","stamp":1767225600123456789,"created":1767225600123}',
  );
  expect(differences).toEqual([]);
});

test("property: every written duration is read back unchanged", () => {
  const rules: readonly DurationRule[] = ["seconds", "millis", "micros", "nanos", "iso8601"];
  const span = fc.tuple(fc.bigInt(-315_576_000_000n, 315_576_000_000n), fc.nat(999_999_999));
  fc.assert(
    fc.property(span, fc.constantFrom(...rules), ([seconds, size], rule) => {
      const nanos = seconds < 0n ? -size : size;
      fc.pre(seconds > -315_576_000_000n && seconds < 315_576_000_000n);
      const duration = { $typeName: "google.protobuf.Duration" as const, seconds, nanos };
      if (rule === "iso8601" || rule === "nanos") {
        expect(spanFrom(spanJson(duration, rule), rule)).toEqual({
          seconds: Number(seconds),
          nanos: nanos + 0,
          isCut: false,
        });
      }
      expect(spanText(duration, rule)).not.toContain("e");
    }),
  );
});

test("invalid durations and dates are rejected", () => {
  for (const text of ["", "P", "PT", "P1M", "P1Y", "1H", "PT1", "P-1D", "PT1S2M"]) {
    expect(spanFrom(text, "iso8601"), text).toBeUndefined();
  }
  expect(spanFrom("P1W2DT3H4M5,5S", "iso8601")).toMatchObject({ seconds: 788_645, nanos: 500_000_000 });
  for (const text of [
    "31 Feb 2010 00:00:00 GMT",
    "1 anF 2010 00:00:00 GMT",
    "1 Jan 2010",
    "1 Jan 2010 25:00:00 GMT",
  ]) {
    expect(instantFrom(text, "http_date"), text).toBeUndefined();
  }
  expect(instantFrom("1 Jan 2010 01:00 +0100", "rfc2822")).toMatchObject({
    seconds: 1_262_304_000,
    nanos: 0,
  });
});
