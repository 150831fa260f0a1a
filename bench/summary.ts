import { baselinesOf } from "./contestants.ts";
import type { Figures, Series } from "./rounds.ts";
import { median } from "./statistics.ts";

/** A contestant's medians with one page. */
export interface Row {
  readonly page: string;
  readonly name: string;
  readonly medians: Figures;
  /** By the name of the baseline: medians of the ratios of each round, this divided by the baseline. */
  readonly ratios: Readonly<Record<string, Figures>>;
}

/** Medians and ratios. A ratio is taken within a round, so that what disturbs a round disturbs both sides. */
export function summarize(all: readonly Series[]): Row[] {
  return all.map(({ contestant, page, rounds }) => {
    const baselines = baselinesOf(contestant).flatMap((name) =>
      all.filter((other) => other.page === page && other.contestant.name === name),
    );
    return {
      page: page.label,
      name: contestant.name,
      medians: medians(rounds),
      ratios: Object.fromEntries(
        baselines.map((other) => [other.contestant.name, medians(ratios(rounds, other.rounds))]),
      ),
    };
  });
}

function medians(rounds: readonly Figures[]): Figures {
  return figures((key) => median(rounds.map((round) => round[key])));
}

function ratios(rounds: readonly Figures[], baseline: readonly Figures[]): Figures[] {
  return rounds.map((round, index) => figures((key) => round[key] / (baseline[index]?.[key] ?? Number.NaN)));
}

function figures(value: (key: keyof Figures) => number): Figures {
  return {
    callsPerSecond: value("callsPerSecond"),
    p50Ms: value("p50Ms"),
    p99Ms: value("p99Ms"),
    cpuMicroseconds: value("cpuMicroseconds"),
  };
}
