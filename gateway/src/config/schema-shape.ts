/** Inspects the type of a setting without its schema wrappers. */
import { z } from "zod";

/** A type without its wrappers, and the properties that the wrappers set. */
export interface Unwrapped {
  readonly type: z.core.$ZodType;
  readonly isOptional: boolean;
  /** The default value; undefined without a default. */
  readonly value: unknown;
}

export function unwrap(type: z.core.$ZodType, isOptional = false, value?: unknown): Unwrapped {
  if (type instanceof z.ZodOptional) return unwrap(type.unwrap(), true, value);
  if (type instanceof z.ZodDefault || type instanceof z.ZodPrefault) {
    return unwrap(type.unwrap(), true, type.def.defaultValue);
  }
  return { type, isOptional, value };
}

/** Returns the group of settings in a union with `false` or a string, or undefined if there is none. */
export function settingsOf(type: z.core.$ZodType): z.core.$ZodType | undefined {
  return type instanceof z.ZodUnion
    ? type.options.find((option) => option instanceof z.ZodObject)
    : undefined;
}

/** Returns whether a type is the location of a secret, which is a file or a variable. */
export function isSecretPlace(type: z.core.$ZodType): boolean {
  return type instanceof z.ZodObject && "env" in type.shape && "file" in type.shape;
}
