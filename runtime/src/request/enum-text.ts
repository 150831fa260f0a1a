/** Functions with which generated code writes enum values if their wire names are digits. */
import type { EnumTable } from "connect-rest-codec/internal";
import { invalidParameter } from "./invalid-value.ts";

/**
 * Returns the wire name of an enum value.
 *
 * @throws ConnectError INVALID_ARGUMENT for an unknown number if its digits are the wire name of another
 *   value
 */
export function enumText(table: EnumTable, value: number): string {
  check(table, value);
  return table.wire(value);
}

/**
 * Returns the wire name of an enum value as a JSON value.
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `enumText`
 */
export function enumJson(table: EnumTable, value: number): string | number {
  check(table, value);
  return table.json(value);
}

function check(table: EnumTable, value: number): void {
  const other = table.has(value) ? undefined : table.numberOf(String(value));
  if (other === undefined) return;
  const problem = `the number ${value} has no name, and is the spelling of ${other}`;
  const invalid = { value, enumName: table.name };
  throw invalidParameter(table.name, "request", { problem, remedy: "send a value with a name" }, invalid);
}
