/** Returns a scalar as the string of a parameter, with the sign of -0, which `String` drops. */
export function scalarText(value: string | number | bigint | boolean): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
