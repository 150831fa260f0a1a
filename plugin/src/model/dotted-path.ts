/** A step of a dotted path into JSON. */
export interface PathStep {
  readonly name: string;
  /** Whether it stands in quotes: it is this very key, whatever the description has. */
  readonly quoted: boolean;
}

/** The steps of a dotted path into JSON, whose keys with dots stand in quotes. */
export function stepsOf(path: string): PathStep[] {
  return [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => ({
    name: quoted ?? step,
    quoted: quoted !== undefined,
  }));
}

/** The last key of a dotted path. */
export function lastStepOf(path: string): string {
  return stepsOf(path).at(-1)?.name ?? "";
}

/** Whether a step is the index of an array. */
export function isIndex({ name, quoted }: PathStep): boolean {
  return !quoted && /^\d+$/.test(name);
}
