import fc from "fast-check";
import { Histogram, type MetricValue, Registry } from "prom-client";
import { expect, test } from "vitest";
import { SeriesHistogram, SeriesMap } from "./series.ts";

/** A value of prom-client, whose types lack exemplars. */
type NamedValue = MetricValue<string> & { readonly exemplar?: unknown };

const ABOUT = { name: "seconds", help: "How long.", labelNames: ["method", "protocol"] };
const BUCKETS = [0.001, 0.5, 1, 60];

test("SeriesHistogram produces the same text and data as prom-client's Histogram", async () => {
  const value = fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 100, noNaN: true }));
  const observed = fc.record({
    method: fc.constantFrom("a/B", 'c"d', "e\\f"),
    protocol: fc.constantFrom("grpc", "connect"),
    value,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(observed, { maxLength: 50 }), async (all) => {
      const [expected, got] = [new Registry(), new Registry()];
      const plain = new Histogram({ ...ABOUT, buckets: BUCKETS, registers: [expected] });
      const held = new SeriesHistogram({ ...ABOUT, buckets: BUCKETS, registry: got });
      const series = new SeriesMap(
        (method: string) => new SeriesMap((protocol: string) => held.series({ method, protocol })),
      );
      for (const { value: seconds, ...labels } of all) {
        plain.observe(labels, seconds);
        series.of(labels.method).of(labels.protocol).observe(seconds);
      }
      expect(await got.metrics()).toBe(await expected.metrics());
      const [[data], [expectedData]] = await Promise.all([
        got.getMetricsAsJSON(),
        expected.getMetricsAsJSON(),
      ]);
      // exemplars are not supported, and always undefined
      const values = expectedData?.values.map(({ exemplar, ...value }: NamedValue) => value);
      expect(data).toEqual({ ...expectedData, values });
    }),
    { numRuns: 100 },
  );
});
