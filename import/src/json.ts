/** Parsed JSON, and functions that read it without assumptions about its shape. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of an own key. Inherited keys, such as `constructor`, are not found. */
export function member(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function textAt(value: Json | undefined, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === "string" ? found : undefined;
}

export function numberAt(value: Json | undefined, key: string): number | undefined {
  const found = member(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function flagAt(value: Json | undefined, key: string): boolean {
  return member(value, key) === true;
}

export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: Json | undefined, key: string): readonly string[] {
  return listAt(value, key).filter((item) => typeof item === "string");
}
