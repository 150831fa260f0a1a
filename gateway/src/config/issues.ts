import { z } from "zod";
import { didYouMean } from "../text/suggest.ts";
import type { YamlFile } from "./document.ts";
import { maskAddress } from "./mask.ts";
import type { Problem } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { SECRET_HELP } from "./schema-parts.ts";

/** Turns what zod found into problems with places, one for each unknown key. */
export function problemsOf(error: z.ZodError, yaml: YamlFile, file: string): Problem[] {
  return error.issues.flatMap(within).flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => unknownKey(issue.path, key, yaml, file));
    }
    const text = issue.code === "invalid_key" ? keyText(issue) : issueText(issue, yaml.value);
    return [{ file, ...yaml.positionOf(issue.path), key: dotted(issue.path), text }];
  });
}

/**
 * Where a value may be one of several things and looks like settings, the issues are those of the settings.
 */
export function within(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const inner = issue.errors.find((issues) => issues.every(isInside));
  if (inner === undefined) return [issue];
  return inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] })).flatMap(within);
}

function isInside({ path, code }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === "unrecognized_keys";
}

/** A path as `a.b[0]`. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

function unknownKey(path: readonly PropertyKey[], key: string, yaml: YamlFile, file: string): Problem {
  const known = keysAt(configSchema, path);
  const hint = didYouMean(key, known);
  const text = `unknown setting.${hint === "" ? ` Known here: ${known.join(", ")}.` : hint}`;
  return { file, ...yaml.positionOfKey(path, key), key: dotted([...path, key]), text };
}

function keyText({ issues: [first] }: z.core.$ZodIssueInvalidKey): string {
  return first === undefined || first.code === "too_small" ? "a name must not be empty" : first.message;
}

function issueText(issue: z.core.$ZodIssue, root: unknown): string {
  const text = issue.message.replace(/^(?:Invalid input|Too big|Too small|Invalid option): /, "");
  const value = valueAt(root, issue.path);
  if (value === undefined) return `missing: ${text.replace(/, received undefined$/, "")}`;
  // What stands in the place of a secret may be one, and so may what stands within an object.
  const isSecret =
    issue.path.includes("credentials") || issue.message === SECRET_HELP || typeof value === "object";
  return isSecret ? text : `${text.replace(/, received .*$/, "")}; it is ${shown(value)}`;
}

function shown(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? maskAddress(value) : value).slice(0, 80);
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, part) => {
    return typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined;
  }, root);
}

/** The settings that the schema knows at a path. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const type = unwrap(schema);
  const [first, ...rest] = path;
  if (first === undefined) return type instanceof z.ZodObject ? Object.keys(type.shape) : [];
  if (type instanceof z.ZodObject) {
    const field: z.core.$ZodType | undefined = type.shape[String(first)];
    return field === undefined ? [] : keysAt(field, rest);
  }
  if (type instanceof z.ZodRecord) return keysAt(type.valueType, rest);
  return type instanceof z.ZodArray ? keysAt(type.element, rest) : [];
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
