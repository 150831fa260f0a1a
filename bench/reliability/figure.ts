/** The bound of a figure. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** A measured figure. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** The gateway's value. */
  readonly value: number;
  readonly bound: Bound;
  /** The values of other servers by name; a string for a server without a number. */
  readonly beside?: Readonly<Record<string, number | string>>;
}

/** A group of figures that are measured together. */
export interface Scenario {
  readonly name: string;
  readonly measure: () => Promise<Figure[]>;
  /** Whether the group is mostly idle. Idle groups run concurrently. */
  readonly waits?: boolean;
}

/** Reports whether a figure is within its bound. NaN is never within a bound. */
export function holds({ value, bound }: Figure): boolean {
  return "atMost" in bound ? value <= bound.atMost : value >= bound.atLeast;
}

/** Formats figures as a table with the gateway, the bound, and other servers. */
export function figureLines(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  return figures.map((figure) => line(figure, width)).join("\n");
}

function line(figure: Figure, width: number): string {
  const { name, unit, value, bound, beside = {} } = figure;
  const limit = "atMost" in bound ? `<= ${bound.atMost}` : `>= ${bound.atLeast}`;
  const others = Object.entries(beside).map(([who, what]) => `${who}: ${shown(what)}`);
  const tail = others.length === 0 ? "" : `  (${others.join(", ")})`;
  const verdict = holds(figure) ? "holds" : "FAILS";
  return `${verdict}  ${name.padEnd(width)} ${shown(value).padStart(8)} ${unit.padEnd(8)} ${limit.padEnd(9)}${tail}`;
}

function shown(value: number | string): string {
  if (typeof value === "string") return value;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
