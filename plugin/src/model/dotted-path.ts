/** A step of a dotted path into JSON. */
export interface PathStep {
  readonly name: string;
  /** Whether it is quoted: it then means exactly this key, whatever the description declares. */
  readonly quoted: boolean;
}

/** Splits a dotted path into JSON, in which keys with dots are quoted. */
export function stepsOf(path: string): PathStep[] {
  return [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => ({
    name: quoted ?? step,
    quoted: quoted !== undefined,
  }));
}

/** Returns the last key of a dotted path. */
export function lastStepOf(path: string): string {
  return stepsOf(path).at(-1)?.name ?? "";
}

/** Reports whether a step is an array index. */
export function isIndex({ name, quoted }: PathStep): boolean {
  return !quoted && /^\d+$/.test(name);
}
