import { reject } from "../http/response.ts";
import { isObject, type JsonObject } from "../json.ts";

/** Returns a 400 with subcode 8001, for an invalid or malformed NPF parameter. */
export function invalid(detail: string): Error {
  return reject(400, detail, 8001);
}

/** Returns an array. An absent or null value is an empty array. Throws 8001 for anything else. */
export function arrayOf(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${name} is not an array`);
  return value;
}

export function objectOf(value: unknown, name: string): JsonObject {
  if (!isObject(value)) throw invalid(`${name} is not an object`);
  return value;
}

export function textOf(value: unknown, name: string): string {
  if (typeof value !== "string") throw invalid(`${name} is not a string`);
  return value;
}

/** Returns an integer, from a number or a string. */
export function integerOf(value: unknown, name: string): number {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) throw invalid(`${name} is not an integer`);
  return number;
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
