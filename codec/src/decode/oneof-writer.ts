import type { JsonObject } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { NumberText } from "../json/number-text.ts";
import { isRounded } from "../json/raw-json.ts";
import type { OneofMembers } from "../table/keys.ts";
import type { Field } from "./difference-writer.ts";
import { wordOf } from "./read.ts";
import { ShapeWriter } from "./shape-writer.ts";

const NOTHING: readonly string[] = [];

/** A writer that sees to what of the members of a oneof is not held. */
export class OneofWriter extends ShapeWriter {
  /** Notes a value of a type that no member of a oneof has. */
  unknownMember(key: string, expected: string, value: Field): void {
    if (isPresent(value)) this.drop(key, expected, value);
  }

  /**
   * Notes what no member of a oneof holds, unless something was noted there already. null, [] and {} hold
   * nothing.
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

  /** A discriminator as text. An integer that JSON.parse has rounded is asked for as it came. */
  word(value: Field, key: string): string | undefined {
    if (typeof value === "number" && isRounded(value)) this.rounded(key, "an exact integer", value);
    return wordOf(value);
  }

  /**
   * Sees to it that of the members of a oneof that were written since `start` only the first one stays. The
   * others are lost: whoever reads the message would see the last.
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

  /**
   * Notes what the keys of those members of a oneof hold that its rules have not chosen: nothing, as it
   * should be, or it is lost.
   */
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

/** Whether a value stands for none. */
export function holdsNothing(value: Field): boolean {
  return !isPresent(value) || value === false || value === "" || isEmptyContainer(value);
}

function isPresent(value: Field): boolean {
  return value !== undefined && value !== null;
}

/** The paths of members of a oneof with something at them. */
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
