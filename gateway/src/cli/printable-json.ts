/**
 * Characters that a terminal does not print, or that change the direction of other characters: controls,
 * format characters, line separators, lone surrogates, unassigned and invisible characters. Line breaks
 * between the values of JSON are kept.
 */
const NOT_PRINTABLE = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes the characters of a JSON text that a terminal does not print. The value stays the same. */
export function printableJson(json: string): string {
  return json.replace(NOT_PRINTABLE, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
