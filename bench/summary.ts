import type { Figures, Pair, Series } from "./rounds.ts";
import { type Estimate, estimate, median } from "./statistics.ts";

/** A contestant's figures with one page. */
export interface Row {
  readonly page: string;
  readonly name: string;
  readonly medians: Figures;
  /** Processor time to that of each baseline, by its name. */
  readonly cpu: Readonly<Record<string, Estimate>>;
  /** Calls a second to those of the proxy. */
  readonly calls: Estimate;
}

/** Medians and ratios. A ratio is taken within a round, so that what disturbs a round disturbs both sides. */
export function summarize(all: readonly Series[]): Row[] {
  return all.map((series) => {
    const { contestant, page, rounds } = series;
    const byHand = all.find(
      (other) => other.page === page && other.contestant.name === handWrittenOf(contestant.name),
    );
    const cpu = rounds.map(cpuToProxy);
    return {
      page: page.label,
      name: contestant.name,
      medians: medians(rounds.map(({ figures }) => figures)),
      cpu: {
        ...(contestant.server === "proxy" ? {} : { proxy: estimate(cpu) }),
        ...(byHand === undefined ? {} : { [byHand.contestant.name]: estimate(toOther(cpu, byHand.rounds)) }),
      },
      calls: estimate(rounds.map(({ figures, proxy }) => figures.callsPerSecond / proxy.callsPerSecond)),
    };
  });
}

/** The hand-written server of the same protocol. */
function handWrittenOf(name: string): string | undefined {
  return name.startsWith("gateway ") ? name.replace("gateway", "hand-written") : undefined;
}

function cpuToProxy({ figures, proxy }: Pair): number {
  return figures.cpuMicroseconds / proxy.cpuMicroseconds;
}

function toOther(ratios: readonly number[], others: readonly Pair[]): number[] {
  return others.map((other, index) => (ratios[index] ?? Number.NaN) / cpuToProxy(other));
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
