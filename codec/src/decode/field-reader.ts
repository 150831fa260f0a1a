import type { JsonObject } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import type { Key } from "../table/message-table.ts";
import type { Field } from "./difference-writer.ts";

/** The function that finds in an object what the first of some keys has that holds something. */
export function fieldReader(keys: readonly Key[]): (json: JsonObject) => Field {
  const readers = keys.map(keyReader);
  const [first, ...others] = readers;
  if (first === undefined) return () => undefined;
  if (others.length === 0) return first;
  return (json) => {
    let value = first(json);
    for (const read of others) {
      if (value !== undefined && value !== null) break;
      value = read(json);
    }
    return value;
  };
}

function keyReader(key: Key): (json: JsonObject) => Field {
  if (typeof key !== "string") return (json) => valueAt(json, key.path);
  // every object inherits some keys, such as `constructor`
  if (key in Object.prototype) return (json) => (Object.hasOwn(json, key) ? json[key] : undefined);
  return (json) => json[key];
}
