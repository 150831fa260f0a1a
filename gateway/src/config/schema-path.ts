/** What the schema of the configuration says of a place in a file. */
import { z } from "zod";
import { configSchema } from "./schema.ts";

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
    unwrap(configSchema),
  );
}

function within(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodRecord) return unwrap(schema.valueType);
  if (schema instanceof z.ZodArray) return unwrap(schema.element);
  const field: z.core.$ZodType | undefined =
    schema instanceof z.ZodObject ? schema.shape[String(key)] : undefined;
  return field && unwrap(field);
}

/** Whether a secret belongs somewhere within what a schema describes. */
function hasSecretPlace(schema: z.core.$ZodType): boolean {
  const type = unwrap(schema);
  if (isSecretPlace(type)) return true;
  if (type instanceof z.ZodObject) return Object.values(type.shape).some((field) => hasSecretPlace(field));
  if (type instanceof z.ZodRecord) return hasSecretPlace(type.valueType);
  return type instanceof z.ZodArray && hasSecretPlace(type.element);
}

/** Places of secrets are the settings that have a file or a variable, and nothing else. */
function isSecretPlace(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).sort().join() === "env,file";
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.find((option) => option instanceof z.ZodObject) ?? schema;
  }
  return schema;
}
