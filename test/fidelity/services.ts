import { readdirSync } from "node:fs";
import type { DescField, DescMessage, DescService } from "@bufbuild/protobuf";
import type { ServiceAdapter } from "connect-rest-runtime";

/** Returns all adapters in a folder of generated code. */
export async function adaptersOf(folder: "gen" | "test/gen"): Promise<readonly ServiceAdapter[]> {
  const root = new URL(`../../${folder}/`, import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("_rest.ts"))
    .sort();
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, root).href)) as Readonly<Record<string, unknown>>),
  );
  const adapters = modules.flatMap((module) => Object.values(module).filter(isServiceAdapter));
  return [...new Set(adapters)];
}

function isServiceAdapter(value: unknown): value is ServiceAdapter {
  return typeof value === "object" && value !== null && "service" in value && "methods" in value;
}

/** Collects a message and all declared messages that it contains. */
export function reachable(message: DescMessage, found: Set<DescMessage> = new Set()): readonly DescMessage[] {
  if (!found.has(message) && !message.typeName.startsWith("google.")) {
    found.add(message);
    for (const field of message.fields) {
      const below = messageOf(field);
      if (below !== undefined) reachable(below, found);
    }
  }
  return [...found];
}

/** Returns the message type of a field, of its list items or of its map values; undefined for other types. */
export function messageOf(field: DescField): DescMessage | undefined {
  switch (field.fieldKind) {
    case "message":
      return field.message;
    case "list":
    case "map":
      return field.message;
    default:
      return undefined;
  }
}

/** Returns the services of a folder. */
export async function servicesOf(folder: "gen" | "test/gen"): Promise<readonly DescService[]> {
  return (await adaptersOf(folder)).map(({ service }) => service);
}
