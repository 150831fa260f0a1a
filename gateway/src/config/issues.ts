import { didYouMean } from "connect-rest-runtime/internal";
import type { z } from "zod";
import type { YamlFile } from "./document.ts";
import { maskAddress } from "./mask.ts";
import type { Problem } from "./problems.ts";
import { keysAt, mayHoldSecret } from "./schema-path.ts";

/** Converts zod issues to problems with positions; each unknown key becomes a separate problem. */
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
 * Returns the relevant issues of a union: if the value looks like a group of settings, the issues of that
 * group.
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

/** Formats a path as `a.b[0]`. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

/** The new names of renamed settings. */
const RENAMED: Readonly<Record<string, string>> = {
  "server.pages": "server.console",
};

function unknownKey(path: readonly PropertyKey[], key: string, yaml: YamlFile, file: string): Problem {
  const renamed = RENAMED[dotted([...path, key])];
  if (renamed !== undefined) {
    const text = `unknown setting. Its new name is ${renamed}.`;
    return { file, ...yaml.positionOfKey(path, key), key: dotted([...path, key]), text };
  }
  const known = keysAt(path);
  const hint = didYouMean(key, known);
  const text = `unknown setting.${hint === "" ? ` Known here: ${known.join(", ")}.` : hint}`;
  const isShown = hint !== "" || NAME.test(key) || !mayHoldSecret(path);
  return { file, ...yaml.positionOfKey(path, key), key: dotted(isShown ? [...path, key] : path), text };
}

/**
 * A pattern for unknown keys that may be shown. Keys that do not match may be secrets in the wrong place, as
 * in `apiKey: {sk-123}`.
 */
const NAME = /^[A-Za-z]{1,16}$/;

function keyText({ issues: [first] }: z.core.$ZodIssueInvalidKey): string {
  return first === undefined || first.code === "too_small" ? "a name must not be empty" : first.message;
}

function issueText(issue: z.core.$ZodIssue, root: unknown): string {
  const text = issue.message.replace(/^(?:Invalid input|Too big|Too small|Invalid option): /, "");
  const value = valueAt(root, issue.path);
  if (value === undefined) return `missing: ${text.replace(/, received undefined$/, "")}`;
  const isAddress = issue.path.at(-1) === "proxy" && typeof value === "string" && /^https?:\/\//.test(value);
  const isSecret = (mayHoldSecret(issue.path) && !isAddress) || typeof value === "object";
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
