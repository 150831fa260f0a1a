import type { JsonValue } from "../json/json.ts";

/** The fields of a message that a mask may name, by their names in the .proto file. */
export type MaskTable = Readonly<Record<string, MaskedField>>;

/** A field that a mask may name. */
export interface MaskedField {
  /** The JSON key; undefined for a oneof member whose keys are in the object of the outer message. */
  readonly name?: string;
  /** The key whose value selects a oneof member that has no key. */
  readonly discriminator?: string;
  readonly kind?: "list" | "map";
  /** The value of the field when unset, if the field has no presence. */
  readonly zero?: JsonValue;
  /** The fields of the message in this field, in its items, or in its map values. */
  readonly fields?: () => MaskTable;
}

/**
 * A field, and the names that lead to the field in the .proto file: several names if the field is inside
 * oneof members without a key.
 */
interface Found {
  readonly names: readonly string[];
  readonly field: MaskedField;
}

/** Converts a path of wire names to names in the .proto file. Unknown steps are converted to snake_case. */
export function declaredPath(path: string, table?: MaskTable): string {
  let fields = table;
  let kind: MaskedField["kind"];
  const names = path.split(".").flatMap((step, index, steps) => {
    const isKey = kind === "map" || (kind === "list" && step === "*");
    kind = undefined;
    if (isKey) return [step];
    const found = named(step, fields, steps[index + 1]);
    fields = found?.field.fields?.();
    kind = found?.field.kind;
    return found?.names ?? [step.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  });
  return names.join(".");
}

/**
 * Returns the field with a key. If several fields have the key, as oneof members may, returns the first that
 * contains the next step.
 */
function named(key: string, table: MaskTable | undefined, next: string | undefined): Found | undefined {
  if (table === undefined) return undefined;
  const found = fieldsOf(key, table, [], new Set());
  if (found.length < 2 || next === undefined) return found[0];
  const holdsNext = ({ field }: Found) => {
    const below = field.fields?.();
    return below !== undefined && fieldsOf(next, below, [], new Set()).length > 0;
  };
  return found.find(holdsNext) ?? found[0];
}

/**
 * Returns the fields with a key, first in the message itself, then in members that share its object. A member
 * may contain itself.
 */
function fieldsOf(key: string, table: MaskTable, holders: readonly string[], seen: Set<MaskTable>): Found[] {
  if (seen.has(table)) return [];
  seen.add(table);
  const own: Found[] = [];
  const below: Found[] = [];
  for (const [name, field] of Object.entries(table)) {
    const names = [...holders, name];
    if (field.name === key) own.push({ names, field });
    if (field.name === undefined) below.push(...fieldsOf(key, field.fields?.() ?? {}, names, seen));
  }
  return [...own, ...below];
}
