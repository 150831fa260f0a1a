import { checkNames } from "../errors/check-option.ts";
import { restError } from "../errors/rest-error.ts";
import type { RestOptions } from "./options.ts";

type Type = "function" | "boolean" | "object" | "array" | "checked elsewhere";

const TYPES: Readonly<Record<keyof Required<RestOptions>, Type>> = {
  adapters: "array",
  upstreams: "object",
  types: "array",
  differences: "object",
  strict: "boolean",
  timeoutMs: "checked elsewhere",
  maxTimeoutMs: "checked elsewhere",
  scanner: "boolean",
  interceptors: "array",
  dispatcher: "checked elsewhere",
  fetch: "checked elsewhere",
  onDifference: "function",
  onRequest: "function",
  onCall: "function",
  onBreaker: "function",
  callerOf: "function",
  recorder: "object",
  watch: "object",
  clock: "object",
  network: "object",
};

const REQUIRED: ReadonlySet<string> = new Set(["adapters", "upstreams"]);

/**
 * Checks the names and the types of the options, for programs without static type checks.
 *
 * @throws ConnectError reason OPTION_INVALID
 */
export function checkRestOptions(options: RestOptions): void {
  if (typeof options !== "object" || options === null) throw invalid("(all)", "an object", typeOf(options));
  checkNames(options, Object.keys(TYPES), invalid);
  for (const [name, type] of Object.entries(TYPES)) {
    const value: unknown = options[name as keyof RestOptions];
    if (type === "checked elsewhere" || (value === undefined && !REQUIRED.has(name))) continue;
    const got = typeOf(value);
    if (got !== type) throw invalid(name, `${/^[ao]/.test(type) ? "an" : "a"} ${type}`, got);
  }
  for (const [index, adapter] of options.adapters.entries()) checkAdapter(`adapters[${index}]`, adapter);
  for (const [index, file] of (options.types ?? []).entries()) checkFile(`types[${index}]`, file);
}

function checkFile(option: string, file: unknown): void {
  const { kind, proto } = Object(file) as { readonly kind?: unknown; readonly proto?: unknown };
  if (kind === "file" && typeOf(proto) === "object") return;
  throw invalid(option, "a file of messages (protoc-gen-es), e.g. `file_shop_v1_events`", described(file));
}

function checkAdapter(option: string, adapter: unknown): void {
  const { service, methods } = Object(adapter) as { readonly service?: unknown; readonly methods?: unknown };
  if (typeOf(service) === "object" && typeOf(methods) === "object") return;
  throw invalid(option, "an adapter, e.g. `ShelfServiceRest` of `shelf_rest.ts`", described(adapter));
}

/** Describes a value that was passed where an adapter is expected. */
function described(value: unknown): string {
  const { kind, typeName } = Object(value) as { readonly kind?: unknown; readonly typeName?: unknown };
  if (kind === "service") return `the description of ${String(typeName)}`;
  return Object.prototype.toString.call(value) === "[object Module]" ? "a module" : typeOf(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function invalid(option: string, expected: string, got: string): Error {
  return restError("OPTION_INVALID", { option, expected, got });
}
