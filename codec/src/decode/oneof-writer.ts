import type { JsonObject } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded } from "../json/raw-json.ts";
import type { OneofMembers } from "../table/keys.ts";
import type { Field } from "./difference-writer.ts";
import { wordOf } from "./read.ts";
import { ShapeWriter } from "./shape-writer.ts";

const NOTHING: readonly string[] = [];

/** A writer that reports values that no member of a oneof can hold. */
export class OneofWriter extends ShapeWriter {
  /** Reports a value whose type does not fit any member of a oneof. */
  unknownMember(key: string, expected: string, value: Field): void {
    if (isPresent(value)) this.drop(key, expected, value);
  }

  /**
   * Reports a value that no member of a oneof holds, unless it was already reported. null, [] and {} are
   * empty.
   */
  notHeld(key: string, expected: string, value: Field): void {
    if (value === undefined || value === null || isEmptyContainer(value)) return;
    const at = this.pathText(key);
    if (this.differences.some(({ path }) => path === at)) return;
    if (value === false || value === "") {
      this.coerce(key, expected, value);
    } else {
      this.drop(key, expected, value);
    }
  }

  /**
   * Reads a discriminator as a string. Requests an exact parse for an integer that JSON.parse has rounded.
   */
  word(value: Field, key: string): string | undefined {
    if (typeof value === "number" && isRounded(value)) this.rounded(key, "an exact integer", value);
    return wordOf(value);
  }

  /**
   * Keeps only the first of the oneof members written since `start`, and reports the others as lost.
   * Otherwise a parser would keep the last member.
   */
  onlyFirst(start: number, json: JsonObject, members: OneofMembers): void {
    if (present(json, members).length < 2) return;
    const [first, ...others] = this.fieldsFrom(start);
    if (first === undefined || others.length === 0) return;
    this.rewind(first.end);
    for (const [field, ...paths] of members) {
      if (!others.some(({ number }) => number === field)) continue;
      const path = paths.find((each) => isPresent(valueAt(json, each))) ?? "";
      this.drop(path, "no other member of the oneof", valueAt(json, path));
    }
  }

  /** Reports values under the keys of members that were not selected. */
  unchosen(start: number, json: JsonObject, members: OneofMembers): void {
    const found = present(json, members);
    if (found.length === 0) return;
    const [chosen] = this.fieldsFrom(start);
    const held = members.find(([field]) => field === chosen?.number)?.slice(1) ?? [];
    for (const path of new Set(found.filter((each) => !held.includes(each)))) {
      this.notHeld(path, "no other member of the oneof", valueAt(json, path));
    }
  }
}

/** Reports whether a value counts as absent. */
export function holdsNothing(value: Field): boolean {
  return !isPresent(value) || value === false || value === "" || isEmptyContainer(value);
}

function isPresent(value: Field): boolean {
  return value !== undefined && value !== null;
}

/** Returns the paths of oneof members that hold a value. */
function present(json: JsonObject, members: OneofMembers): readonly string[] {
  let found: string[] | undefined;
  for (const member of members) {
    for (let index = 1; index < member.length; index++) {
      const path = member[index] as string;
      if (!isPresent(valueAt(json, path))) continue;
      found ??= [];
      found.push(path);
    }
  }
  return found ?? NOTHING;
}

function isEmptyContainer(value: Field): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 0 &&
    !(value instanceof NumberText)
  );
}
