import type { AnyDesc, DescFile } from "@bufbuild/protobuf";
import type { SourceCodeInfo_Location } from "@bufbuild/protobuf/wkt";
import { fileOf, optionsNumber, sourcePath } from "../descriptors/source-path.ts";

/** A place in a .proto file; lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const indexes = new WeakMap<DescFile, Map<string, SourceCodeInfo_Location>>();

/**
 * Where an element, or an option on it, stands. The most exact place that the compiler recorded: an option inside
 * an aggregate is found at the aggregate, a repeated one at its first value, and one that is not written at the
 * first of its extension, or else at the element. An element without source information is at line 1.
 */
export function positionOf(desc: AnyDesc, option: readonly number[]): Position {
  const file = fileOf(desc);
  const element = sourcePath(desc);
  const options = option.length > 0 ? [...element, optionsNumber(desc), ...option] : element;
  const locations = indexOf(file);
  for (let length = options.length; length >= element.length; length--) {
    // a path to options alone would find those of other extensions
    if (length === element.length + 1) continue;
    const path = options.slice(0, length).join(".");
    const span = (locations.get(path) ?? (length > element.length ? firstBelow(locations, path) : undefined))
      ?.span;
    if (span?.[0] !== undefined && span[1] !== undefined) {
      return { file: file.proto.name, line: span[0] + 1, column: span[1] + 1 };
    }
  }
  return { file: file.proto.name, line: 1, column: 1 };
}

function firstBelow(
  locations: ReadonlyMap<string, SourceCodeInfo_Location>,
  path: string,
): SourceCodeInfo_Location | undefined {
  for (const [key, location] of locations) if (key.startsWith(`${path}.`)) return location;
  return undefined;
}

/** The recorded locations of a file, by their path. */
export function indexOf(file: DescFile): ReadonlyMap<string, SourceCodeInfo_Location> {
  let index = indexes.get(file);
  if (index === undefined) {
    index = new Map();
    for (const location of file.proto.sourceCodeInfo?.location ?? []) {
      const key = location.path.join(".");
      if (!index.has(key)) index.set(key, location);
    }
    indexes.set(file, index);
  }
  return index;
}
