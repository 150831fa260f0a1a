import { z } from "zod";
import { configSchema } from "./schema.ts";

/**
 * Returns the JSON Schema (draft 2020-12) of the configuration file for editors: names, types and
 * descriptions of all settings.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" });
  return `${JSON.stringify({ title: "connect-rest.yaml", ...schema }, undefined, 2)}\n`;
}
