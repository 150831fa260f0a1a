import type { JsonValue } from "../json/json.ts";

/** What a mask may name of a message: its fields, by their names in the .proto file. */
export type MaskTable = Readonly<Record<string, MaskedField>>;

/** A field that a mask may name. */
export interface MaskedField {
  /** The key in JSON. */
  readonly name: string;
  readonly kind?: "list" | "map";
  /** The value where it is not set, if it has no presence. */
  readonly zero?: JsonValue;
  /** The fields of its message, of its items, or of its values. */
  readonly fields?: () => MaskTable;
}

/** A path of names on the wire as one of names in the .proto file; steps that the table does not know lose their capitals. */
export function declaredPath(path: string, table?: MaskTable): string {
  let fields = table;
  let kind: MaskedField["kind"];
  const steps = path.split(".").map((step) => {
    const isKey = kind === "map" || (kind === "list" && step === "*");
    kind = undefined;
    if (isKey) return step;
    const found = Object.entries(fields ?? {}).find(([, { name }]) => name === step);
    fields = found?.[1].fields?.();
    kind = found?.[1].kind;
    return found?.[0] ?? step.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  });
  return steps.join(".");
}
