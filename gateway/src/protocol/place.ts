import type { DescField } from "@bufbuild/protobuf";
import { show } from "../text/show.ts";

/** The position of a value in the JSON of a message; undefined for the message itself. */
export interface Place {
  readonly above: Place | undefined;
  /** The name of a field as the client wrote it, the key of a map, or an index. */
  readonly key: string | number;
  readonly field?: DescField;
}

/**
 * Returns the path of a value for an error. Field names and keys are either as the client wrote them or as
 * declared.
 */
export function pathOf(place: Place | undefined, names: "written" | "declared"): string {
  if (place === undefined) return "";
  const { above, key, field } = place;
  const path = pathOf(above, names);
  const isWritten = names === "written";
  if (field === undefined) return `${path}[${isWritten && typeof key === "string" ? show(key) : key}]`;
  const name = isWritten ? key : field.name;
  return path === "" ? `${name}` : `${path}.${name}`;
}
