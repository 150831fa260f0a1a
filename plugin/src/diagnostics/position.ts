import type { AnyDesc, DescFile } from "@bufbuild/protobuf";
import type { SourceCodeInfo_Location } from "@bufbuild/protobuf/wkt";
import { indexesIn } from "./option-path.ts";
import { originOf, type Position } from "./origin.ts";
import { fileOf, optionsNumber, sourcePath } from "./source-path.ts";

const indexes = new WeakMap<DescFile, Map<string, SourceCodeInfo_Location>>();

/**
 * Returns the position of an element or of an option. An option from a service config has its position there.
 * Any other option has the most exact position that the compiler recorded: buf records positions inside an
 * aggregate, protoc only the aggregate. An item of a bracketed list has the position of the list. An option
 * that is not written has the position of the first option of its extension, or of the element. An element
 * without source information is at line 1.
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

/**
 * Returns the position of an option in the .proto file, or the position of another option of the same
 * extension.
 */
function optionPosition(desc: AnyDesc, option: readonly number[]): Position | undefined {
  const options = [...sourcePath(desc), optionsNumber(desc)];
  const locations = indexOf(fileOf(desc));
  const indexes = indexesIn(desc, option);
  // stop before the path of all options, which would match other extensions
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
 * Returns the closest recorded item before an unrecorded item: buf records only the first item of a bracketed
 * list.
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

/** Returns the recorded locations of a file, by path. */
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
