/** Looks up the configuration schema by the path of a setting. */
import { z } from "zod";
import { configSchema } from "./schema.ts";
import { isSecretPlace, settingsOf, unwrap } from "./schema-shape.ts";

/** Returns the known settings at a path. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/**
 * Returns whether a user may have written a secret at a path by mistake: the path is for a secret, or for a
 * group that contains one.
 */
export function mayHoldSecret(path: readonly PropertyKey[]): boolean {
  if (path.includes("credentials")) return true;
  const schema = schemaAt(path);
  return schema !== undefined && hasSecretPlace(schema);
}

function schemaAt(path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  return path.reduce<z.core.$ZodType | undefined>(
    (schema, key) => schema && within(schema, key),
    settled(configSchema),
  );
}

function within(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodRecord) return settled(schema.valueType);
  if (schema instanceof z.ZodArray) return settled(schema.element);
  const field: z.core.$ZodType | undefined =
    schema instanceof z.ZodObject ? schema.shape[String(key)] : undefined;
  return field && settled(field);
}

/** Returns whether a schema contains the location of a secret. */
function hasSecretPlace(schema: z.core.$ZodType): boolean {
  const type = settled(schema);
  if (isSecretPlace(type)) return true;
  if (type instanceof z.ZodObject) return Object.values(type.shape).some((field) => hasSecretPlace(field));
  if (type instanceof z.ZodRecord) return hasSecretPlace(type.valueType);
  return type instanceof z.ZodArray && hasSecretPlace(type.element);
}

/** Returns a type without its wrappers or, for a union that contains a group of settings, the group. */
function settled(schema: z.core.$ZodType): z.core.$ZodType {
  const { type } = unwrap(schema);
  return settingsOf(type) ?? type;
}
