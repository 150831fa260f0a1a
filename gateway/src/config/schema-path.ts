/** What the schema of the configuration says of a place in a file. */
import { z } from "zod";
import { configSchema } from "./schema.ts";
import { isSecretPlace, settingsOf, unwrap } from "./schema-shape.ts";

/** The settings that the schema knows at a path. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Whether a secret may stand at a path by mistake: it belongs there, or to a setting within. */
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

/** Whether a secret belongs somewhere within what a schema describes. */
function hasSecretPlace(schema: z.core.$ZodType): boolean {
  const type = settled(schema);
  if (isSecretPlace(type)) return true;
  if (type instanceof z.ZodObject) return Object.values(type.shape).some((field) => hasSecretPlace(field));
  if (type instanceof z.ZodRecord) return hasSecretPlace(type.valueType);
  return type instanceof z.ZodArray && hasSecretPlace(type.element);
}

/** A type without its wrappers; where it may be settings or something else, the settings. */
function settled(schema: z.core.$ZodType): z.core.$ZodType {
  const { type } = unwrap(schema);
  return settingsOf(type) ?? type;
}
