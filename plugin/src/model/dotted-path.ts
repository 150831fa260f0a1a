/** The last key of a dotted path into JSON, whose keys with dots stand in quotes. */
export function lastStepOf(path: string): string {
  const steps = [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => quoted ?? step);
  return steps.at(-1) ?? "";
}
