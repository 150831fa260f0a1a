import type { CodecFigures } from "./codec.ts";
import type { ServerName } from "./contestants.ts";
import type { LargeFigures } from "./large.ts";
import type { StartFigures } from "./start.ts";
import type { Estimate } from "./statistics.ts";
import type { Row } from "./summary.ts";
import type { WorkerFigures } from "./workers.ts";

/** The results of the selected measurements. */
export interface Results {
  readonly calls: readonly Row[];
  readonly codec: readonly CodecFigures[];
  readonly workers: readonly WorkerFigures[];
  readonly large: readonly LargeFigures[];
  readonly start: readonly StartFigures[];
}

/** A target for the gateway and the measured value. */
export interface Target {
  readonly figure: string;
  readonly reached: Estimate | number;
  readonly bound: { readonly atMost: number } | { readonly atLeast: number };
}

type CallTarget = readonly [name: string, page: string, atMost: number, reference?: ServerName];

const CALLS: readonly CallTarget[] = [
  ["gateway Connect proto", "1 KB", 1.6],
  ["gateway Connect proto", "25 KB", 2],
  ["gateway Connect proto", "25 KB varied", 2],
  ["gateway Connect JSON", "25 KB", 2.5],
  ["gateway gRPC", "1 KB", 2.2],
  ["gateway gRPC", "25 KB", 2.4],
  ["gateway Connect proto", "25 KB varied", 0.6, "go-transcoder"],
];

const CODEC_AT_MOST = 0.7;
const WORKERS_AT_LEAST = 1.6;
const HELD_AT_MOST_MS = 30;
const MEMORY_AT_MOST = 6;
const START_CPU_AT_MOST_MS = 600;
const READY_AT_MOST = 3;

/** Returns the targets whose figures were measured. */
export function targetsOf({ calls, codec, workers, large, start }: Results): Target[] {
  return [
    ...CALLS.flatMap(([name, page, atMost, reference = "proxy"]) => {
      const reached = calls.find((row) => row.name === name && row.page === page)?.cpu[reference];
      const figure = `${name.replace("gateway ", "")}, ${page}: processor time relative to ${reference}`;
      return reached === undefined ? [] : [{ figure, reached, bound: { atMost } }];
    }),
    ...codec
      .filter(
        ({ page, name }) => page === "25 KB varied" && name.startsWith("JSON to protobuf by the scanner"),
      )
      .map(({ page, ratio }) => ({
        figure: `the codec alone, ${page}: processor time relative to JSON.parse`,
        reached: ratio,
        bound: { atMost: CODEC_AT_MOST },
      })),
    ...workers.map(({ capacity, wall, name }) => ({
      figure: `two workers, ${name.replace("gateway ", "")}: throughput relative to one worker`,
      reached: capacity ?? wall,
      bound: { atLeast: WORKERS_AT_LEAST },
    })),
    ...large.flatMap(({ name, heldMs, memory }) => {
      const page = `a page of 6,400 posts, ${name.replace("gateway ", "")}`;
      return [
        {
          figure: `${page}: longest event-loop turn, in ms`,
          reached: heldMs,
          bound: { atMost: HELD_AT_MOST_MS },
        },
        {
          figure: `${page}: memory relative to the page`,
          reached: memory,
          bound: { atMost: MEMORY_AT_MOST },
        },
      ];
    }),
    ...start
      .filter(({ name }) => name === "gateway")
      .flatMap(({ services, cpuMs, ratio }) => {
        const what = `start with ${services} ${services === 1 ? "service" : "services"}`;
        const ready = {
          figure: `${what}: time until ready, relative to a bare connect-node server`,
          reached: ratio,
        };
        return [
          ...(cpuMs === undefined
            ? []
            : [
                {
                  figure: `${what}: processor time, in ms`,
                  reached: cpuMs,
                  bound: { atMost: START_CPU_AT_MOST_MS },
                },
              ]),
          { ...ready, bound: { atMost: READY_AT_MOST } },
        ];
      }),
  ];
}

/** Reports whether the measured value, a median over several rounds, is within the bound. */
export function isReached({ reached, bound }: Target): boolean {
  const value = typeof reached === "number" ? reached : reached.median;
  return "atMost" in bound ? value <= bound.atMost : value >= bound.atLeast;
}

/** Returns a row per target: the figure, the measured value, the bound, and whether the bound is met. */
export function targetCells(targets: readonly Target[]): string[][] {
  return targets.map((target) => {
    const { figure, reached, bound } = target;
    const measured =
      typeof reached === "number"
        ? reached.toFixed(2)
        : `${reached.median.toFixed(2)} [${reached.low.toFixed(2)}, ${reached.high.toFixed(2)}]`;
    const wanted = "atMost" in bound ? `<= ${bound.atMost}` : `>= ${bound.atLeast}`;
    return [figure, measured, wanted, isReached(target) ? "yes" : "no"];
  });
}
