import type { Figures } from "./burst.ts";
import type { ServerName } from "./contestants.ts";
import type { Series } from "./rounds.ts";
import { type Estimate, estimate, median } from "./statistics.ts";

/** A contestant's figures with one page. */
export interface Row {
  readonly page: string;
  readonly name: string;
  readonly server: ServerName;
  readonly medians: Figures;
  /** Processor time relative to the proxy, and to servers that are called by the same protocol. */
  readonly cpu: Readonly<Partial<Record<ServerName, Estimate>>>;
  /** Calls per second relative to the proxy. */
  readonly calls: Estimate;
}

/** The servers with which a server is compared, in addition to the proxy. */
const COMPARED: Readonly<Partial<Record<ServerName, readonly ServerName[]>>> = {
  gateway: ["hand-written", "go-handler", "go-transcoder"],
  "gateway-again": ["gateway"],
};

/**
 * Computes medians and ratios. Ratios compare figures of the same round, because disturbances then affect
 * both.
 */
export function summarize(all: readonly Series[]): Row[] {
  return all.map((series) => {
    const { contestant, page, rounds } = series;
    const { server, encoding } = contestant;
    const others = all.filter(
      (other) =>
        other.page === page &&
        (other.contestant.server === "proxy" ||
          (other.contestant.encoding === encoding &&
            COMPARED[server]?.includes(other.contestant.server) === true)),
    );
    const ratios = (other: Series, of: (figures: Figures) => number) =>
      estimate(rounds.map((figures, index) => of(figures) / of(other.rounds[index] ?? figures)));
    const proxy = others.find((other) => other.contestant.server === "proxy") ?? series;
    const cpu = others
      .filter((other) => other !== series)
      .map((other) => [other.contestant.server, ratios(other, cpuOf)] as const);
    return {
      page: page.label,
      name: contestant.name,
      server,
      medians: medians(rounds),
      cpu: Object.fromEntries(cpu),
      calls: ratios(proxy, ({ callsPerSecond }) => callsPerSecond),
    };
  });
}

function cpuOf({ cpuMicroseconds }: Figures): number {
  return cpuMicroseconds;
}

function medians(rounds: readonly Figures[]): Figures {
  const of = (key: keyof Figures) => median(rounds.map((round) => round[key]));
  return {
    callsPerSecond: of("callsPerSecond"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    cpuMicroseconds: of("cpuMicroseconds"),
  };
}
