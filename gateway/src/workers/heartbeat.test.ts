import fc from "fast-check";
import { expect, test } from "vitest";
import { Heartbeat, SILENT_BEATS } from "./heartbeat.ts";

test("a worker counts as dead after SILENT_BEATS heartbeats without a response, and not earlier", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: SILENT_BEATS }), { maxLength: 20 });
  fc.assert(
    fc.property(pauses, (silences) => {
      const heart = new Heartbeat();
      for (const silence of silences) {
        for (let beat = 0; beat < silence; beat++) expect(heart.beat()).toBe(true);
        heart.heard();
      }
      for (let beat = 0; beat < SILENT_BEATS; beat++) expect(heart.beat()).toBe(true);
      expect(heart.beat()).toBe(false);
    }),
    { numRuns: 50 },
  );
});
