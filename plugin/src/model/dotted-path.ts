/** A step of a dotted path into JSON. */
export interface PathStep {
  readonly name: string;
  /** Whether the step is quoted. A quoted step means exactly this key, whether or not the key is declared. */
  readonly quoted: boolean;
}

/** Splits a dotted path into JSON, in which keys with dots are quoted. */
export function stepsOf(path: string): PathStep[] {
  return [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => ({
    name: quoted ?? step,
    quoted: quoted !== undefined,
  }));
}

/** Returns the names of the steps of a dotted path. */
export function namesOf(path: string): string[] {
  return stepsOf(path).map(({ name }) => name);
}

/** Returns the last key of a dotted path. */
export function lastStepOf(path: string): string {
  return namesOf(path).at(-1) ?? "";
}

/** Reports whether a step is an array index. */
export function isIndex({ name, quoted }: PathStep): boolean {
  return !quoted && /^\d+$/.test(name);
}
