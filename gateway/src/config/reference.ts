import { UPSTREAM_DEFAULTS } from "connect-rest-runtime/internal";
import { z } from "zod";
import { isReloaded, isShared, LIMIT_NAMES, LIMIT_TABLE } from "../limits.ts";
import { VERSION } from "../version.ts";
import { LIMIT_SHARES } from "./limit-shares.ts";
import { configSchema } from "./schema.ts";
import { isSecretPlace, settingsOf, unwrap } from "./schema-shape.ts";

/** A setting in the reference. */
interface Row {
  readonly path: string;
  readonly type: string;
  readonly default: string;
  readonly text: string;
}

/** Returns the configuration reference in Markdown, from the schema and the table of limits. */
export function configReference(): string {
  const settings = rowsOf(configSchema, "").filter(({ path }) => !path.startsWith("server.limits."));
  const limits = LIMIT_NAMES.map((name) => {
    const { default: value, unit, max, effect } = LIMIT_TABLE[name];
    return [
      `\`${name}\``,
      `${value} ${unit}`,
      String(max),
      isReloaded(name) ? "yes" : "",
      isShared(name) ? "yes" : "",
      effect,
      LIMIT_SHARES[name],
    ];
  });
  return [
    "# Configuration",
    "",
    "The gateway reads one YAML file: `connect-rest.yaml` in the working directory, or the file that `--config` names.",
    "`connect-rest check-config` prints every problem of the file as `file:line:col: setting: text`.",
    "",
    "The file never contains a *secret*, only the location of the secret: `{ env: NAME }` for an environment variable, or `{ file: PATH }`\nfor a file, relative to the configuration file.",
    "",
    table(
      ["Setting", "Type", "Default", "Meaning"],
      settings.map(({ path, type, default: value, text }) => [`\`${path}\``, type, value, text]),
    ),
    "",
    "## Limits",
    "",
    "Limits are set under `server.limits`. Every limit is finite, and at least 1 except for `drainNoticeMs`. Limits that reload take\na new value on SIGHUP; the others need a restart. Shared limits are divided equally among the workers. With `authorization`, a caller\nis the person whom the token identifies, even across clients, or else the client. Without tokens, a caller is a client address (IPv6: a /64\nnetwork). Connections and requests always count by address.",
    "",
    table(
      [
        "Limit",
        "Default",
        "Maximum",
        "Reloads",
        "Shared",
        "What is limited, and what happens above the limit",
        "How much one caller can use",
      ],
      limits,
    ),
    "",
  ].join("\n");
}

function rowsOf(schema: z.core.$ZodType, path: string): Row[] {
  const { type, isOptional, value } = unwrap(schema);
  const children = childrenOf(settingsOf(type) ?? type, path);
  if (path === "") return children;
  const text = describe(schema);
  const used = value === undefined || isEmpty(value) ? upstreamDefault(path) : value;
  // the page is the same for all versions
  const printed = String(used).replace(VERSION, "VERSION");
  const shown = used === undefined ? (isOptional ? "" : "required") : `\`${printed}\``;
  return [{ path, type: typeName(type), default: shown, text }, ...children];
}

function childrenOf(type: z.core.$ZodType, path: string): Row[] {
  if (isSecretPlace(type)) return [];
  if (type instanceof z.ZodObject) {
    return Object.entries(type.shape).flatMap(([name, field]) => {
      return rowsOf(field as z.core.$ZodType, path === "" ? name : `${path}.${name}`);
    });
  }
  if (type instanceof z.ZodRecord && unwrap(type.valueType).type instanceof z.ZodObject) {
    return childrenOf(unwrap(type.valueType).type, `${path}.NAME`);
  }
  return [];
}

const UPSTREAM = "upstreams.NAME.";

/**
 * Returns the runtime's default of an upstream setting; undefined if it has no default, or a default that is
 * not a single value.
 */
function upstreamDefault(path: string): string | number | boolean | undefined {
  if (!path.startsWith(UPSTREAM)) return undefined;
  let found: unknown = UPSTREAM_DEFAULTS;
  for (const key of path.slice(UPSTREAM.length).split(".")) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  const isValue = typeof found === "string" || typeof found === "number" || typeof found === "boolean";
  return isValue ? (found as string | number | boolean) : undefined;
}

/** Returns the description of a type, from any of its wrappers. */
function describe(type: z.core.$ZodType): string {
  const text = type instanceof z.ZodType ? type.description : undefined;
  if (text !== undefined) return text;
  const wraps =
    type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodPrefault;
  return wraps ? describe(type.unwrap()) : "";
}

function typeName(type: z.core.$ZodType): string {
  if (isSecretPlace(type)) return "secret";
  if (type instanceof z.ZodObject) return "settings";
  if (type instanceof z.ZodRecord) return "settings by name";
  if (type instanceof z.ZodArray) return "list of strings";
  if (type instanceof z.ZodEnum) return type.options.map((option) => `\`${option}\``).join(", ");
  if (settingsOf(type) !== undefined) return "settings or `false`";
  if (type instanceof z.ZodNumber) return type instanceof z.ZodNumberFormat ? "integer" : "number";
  if (type instanceof z.ZodBoolean) return "`true` or `false`";
  return type instanceof z.ZodURL ? "URL" : "string";
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
