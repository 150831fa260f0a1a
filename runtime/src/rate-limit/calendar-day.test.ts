import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { CalendarDay, isTimeZone } from "./calendar-day.ts";

const at = (text: string) => Date.parse(text);

test.each([
  ["UTC", "2026-03-29T10:00:00Z", "2026-03-30T00:00:00Z"],
  ["UTC", "2026-03-29T23:59:59.999Z", "2026-03-30T00:00:00Z"],
  ["UTC", "2026-03-30T00:00:00Z", "2026-03-31T00:00:00Z"],
  ["Asia/Kathmandu", "2026-01-01T18:00:00Z", "2026-01-01T18:15:00Z"],
  // days of 23 and 25 hours
  ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
  ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
  // a day that begins at one o'clock, and a day that the time zone skipped
  ["America/Santiago", "2026-09-05T12:00:00Z", "2026-09-06T04:00:00Z"],
  ["Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-30T10:00:00Z"],
])("the calendar day in %s that contains %s ends at %s", (zone, time, end) => {
  const day = new CalendarDay(zone, new FakeClock(at(time)));
  day.add(at(time));
  expect(day.earliest(at(time), 2)).toBe(at(time));
  expect(day.earliest(at(time), 1)).toBe(at(end) + 10);
});

test("each calendar day has a separate count", () => {
  const now = at("2026-01-01T12:00:00Z");
  const clock = new FakeClock(now);
  const day = new CalendarDay("UTC", clock);
  for (let count = 0; count < 3; count++) day.add(day.earliest(now, 1));
  const third = at("2026-01-04T00:00:00Z") + 10;
  expect(day.earliest(now, 1)).toBe(third);
  day.remove(at("2026-01-02T00:00:00Z") + 10);
  expect(day.earliest(now, 1)).toBe(at("2026-01-02T00:00:00Z") + 10);
  clock.advance(third - now);
  day.forget(third);
  expect(day.empty).toBe(true);
});

test("isTimeZone accepts time zones and rejects other names", () => {
  expect(["UTC", "Europe/Berlin", "Mars/Base", ""].map(isTimeZone)).toEqual([true, true, false, false]);
});
