import type { AnyDesc, DescFile } from "@bufbuild/protobuf";
import type { SourceCodeInfo_Location } from "@bufbuild/protobuf/wkt";
import { indexesIn } from "./option-path.ts";
import { originOf, type Position } from "./origin.ts";
import { fileOf, optionsNumber, sourcePath } from "./source-path.ts";

const indexes = new WeakMap<DescFile, Map<string, SourceCodeInfo_Location>>();

/**
 * Where an element, or an option on it, stands. An option that a service config gives is there; another is at
 * the most exact place that the compiler recorded: inside of an aggregate where buf recorded it, else at the
 * aggregate (protoc), an item of a list in brackets at that list, and one that is not written at the first of
 * its extension, or else at the element. An element without source information is at line 1.
 */
export function positionOf(desc: AnyDesc, option: readonly number[]): Position {
  const isWhole = option.length === 1;
  return (
    originOf(desc, option, isWhole ? 1 : 2) ??
    optionPosition(desc, option) ??
    originOf(desc, option, 1) ??
    located(desc, sourcePath(desc).join(".")) ?? { file: fileOf(desc).proto.name, line: 1, column: 1 }
  );
}

/** Where the .proto file says an option, or one of the same extension. */
function optionPosition(desc: AnyDesc, option: readonly number[]): Position | undefined {
  const options = [...sourcePath(desc), optionsNumber(desc)];
  const locations = indexOf(fileOf(desc));
  const indexes = indexesIn(desc, option);
  // a path to options alone would find those of other extensions
  for (let length = option.length; length > 0; length--) {
    const path = [...options, ...option.slice(0, length)].join(".");
    const before = indexes[length - 1] === true ? lastBefore(locations, path) : undefined;
    const found = located(desc, path) ?? spanPosition(desc, before ?? firstBelow(locations, path));
    if (found !== undefined) return found;
  }
  return undefined;
}

function located(desc: AnyDesc, path: string): Position | undefined {
  return spanPosition(desc, indexOf(fileOf(desc)).get(path));
}

function spanPosition(desc: AnyDesc, location: SourceCodeInfo_Location | undefined): Position | undefined {
  const [line, column] = location?.span ?? [];
  if (line === undefined || column === undefined) return undefined;
  return { file: fileOf(desc).proto.name, line: line + 1, column: column + 1 };
}

function firstBelow(
  locations: ReadonlyMap<string, SourceCodeInfo_Location>,
  path: string,
): SourceCodeInfo_Location | undefined {
  for (const [key, location] of locations) if (key.startsWith(`${path}.`)) return location;
  return undefined;
}

/**
 * The nearest item in front of one that is not recorded: of a list in brackets,
 * buf records the first item alone.
 */
function lastBefore(
  locations: ReadonlyMap<string, SourceCodeInfo_Location>,
  path: string,
): SourceCodeInfo_Location | undefined {
  const [, list = "", index = "0"] = /^(.*\.)(\d+)$/.exec(path) ?? [];
  for (let before = Number(index) - 1; before >= 0; before--) {
    const location = locations.get(`${list}${before}`);
    if (location !== undefined) return location;
  }
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
