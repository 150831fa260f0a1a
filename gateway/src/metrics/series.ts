import {
  Histogram,
  type MetricObject,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from "prom-client";

type Labels = Readonly<Record<string, string>>;

/** Series by key; each is created on first use. */
export class SeriesMap<K, S> {
  private readonly all = new Map<K, S>();
  private readonly make: (key: K) => S;

  constructor(make: (key: K) => S) {
    this.make = make;
  }

  of(key: K): S {
    const known = this.all.get(key);
    if (known !== undefined) return known;
    const made = this.make(key);
    this.all.set(key, made);
    return made;
  }
}

/** The value of a counter for one set of labels. */
export class CountSeries {
  readonly labels: Labels;
  private total = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  get value(): number {
    return this.total;
  }

  add(): void {
    this.total++;
  }
}

/** The observations of a histogram for one set of labels. */
export class TimeSeries {
  readonly labels: Labels;
  private readonly bounds: readonly number[];
  /** The number of values in each bucket. The last bucket has the values above all bounds. */
  private readonly counts: number[];
  private sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }

  /** Returns the values in the form of a prom-client histogram. */
  values(name: string): NamedValue[] {
    const { labels, bounds, counts, sum } = this;
    let count = 0;
    const buckets = counts.map((each, at) => {
      count += each;
      const le = bounds[at] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

type NamedValue = MetricValue<string> & { readonly metricName: string };

/** Options of a histogram. */
export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

/**
 * A histogram whose values are observed through series that the caller keeps. Looking up a series by its
 * labels for every call would take most of the time of an observation. `observe` is not used.
 */
export class SeriesHistogram extends Histogram {
  private readonly all: TimeSeries[] = [];
  private readonly options: HistogramOptions;

  constructor(options: HistogramOptions) {
    const { name, help, labelNames, buckets, registry } = options;
    super({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
    this.options = options;
  }

  private get about(): MetricObject {
    const { name, registry } = this.options;
    // the metadata of the metric; the registered metric is this object
    const about = registry.getMetricsAsArray().find((metric) => metric.name === name);
    if (about === undefined) throw new Error(`${name} is not registered`);
    const { help, type, aggregator, collect } = about;
    return { help, name, type, aggregator, collect };
  }

  /** Adds a series; its labels must be unique. */
  series(labels: Labels): TimeSeries {
    const series = new TimeSeries(labels, this.options.buckets);
    this.all.push(series);
    return series;
  }

  override async get(): Promise<MetricObjectWithValues<NamedValue>> {
    const values = this.all.flatMap((series) => series.values(this.options.name));
    return { ...this.about, values };
  }

  /**
   * Replaces `get` in text output, because prom-client's implementation would return the values of the base
   * class.
   */
  getForPromString(): Promise<MetricObjectWithValues<NamedValue>> {
    return this.get();
  }
}
