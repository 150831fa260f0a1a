import type { AnyDesc } from "@bufbuild/protobuf";

/** A position in a file. Lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The positions of options, by their paths as field numbers joined by dots: `50871.2`. */
export type Origins = ReadonlyMap<string, Position>;

const known = new WeakMap<AnyDesc, Map<string, Position>>();

/**
 * Records the origin of options that the .proto file of their element does not contain.
 *
 * @param replaced the paths whose earlier records no longer apply
 */
export function noteOrigins(desc: AnyDesc, replaced: readonly string[], origins: Origins): void {
  const all = known.get(desc) ?? new Map<string, Position>();
  known.set(desc, all);
  for (const path of [...all.keys()]) {
    if (replaced.some((root) => path === root || path.startsWith(`${root}.`))) all.delete(path);
  }
  for (const [path, position] of origins) all.set(path, position);
}

/**
 * Returns the origin of an option outside the .proto file of its element: the closest recorded position of an
 * enclosing option.
 *
 * @param least the minimum number of leading path numbers that must match
 */
export function originOf(desc: AnyDesc, option: readonly number[], least: number): Position | undefined {
  const origins = known.get(desc);
  if (origins === undefined) return undefined;
  for (let length = option.length; length >= least; length--) {
    const found = origins.get(option.slice(0, length).join("."));
    if (found !== undefined) return found;
  }
  return undefined;
}
