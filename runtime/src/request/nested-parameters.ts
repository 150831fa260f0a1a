import { isJsonObject, type JsonValue, NumberText } from "connect-rest-codec/internal";
import { invalidParameter } from "./invalid-value.ts";

/** How lists are written below a parameter: `a[0]=x`, or `a[]=x`. */
export type NestedListStyle = "indexed" | "brackets";

/** A parameter whose value is no object and no list. */
export type NestedParameter = readonly [name: string, value: string | number | bigint | boolean];

/**
 * The parameters of a JSON value by brackets: `items[0][price]=1`, `metadata[key]=value`. null is an empty
 * text; empty objects and lists have no parameters.
 *
 * @param place where the parameters go, for errors
 * @throws ConnectError INVALID_ARGUMENT for a key with a bracket, which would be read as another name
 */
export function* nestedParameters(
  name: string,
  value: JsonValue,
  lists: NestedListStyle,
  place: string,
): Generator<NestedParameter> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* nestedParameters(`${name}[${lists === "indexed" ? index : ""}]`, item, lists, place);
    }
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      if (/[[\]]/.test(key)) throw bracketInKey(`${name}[…]`, place);
      yield* nestedParameters(`${name}[${key}]`, item, lists, place);
    }
  } else if (value instanceof NumberText) {
    yield [name, value.source];
  } else {
    yield [name, value === null ? "" : (value as NestedParameter[1])];
  }
}

function bracketInKey(field: string, place: string): Error {
  return invalidParameter(field, place, {
    problem: "a key contains a bracket, which delimits keys",
    remedy: "send keys without brackets",
  });
}
