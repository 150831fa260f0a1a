import type { z } from "zod";
import { within } from "./issues.ts";

/** A path of settings, from the root of the file. */
export type SettingPath = readonly PropertyKey[];

/** A file without its mistakes, so that what else is wrong can be found in the same run. */
export interface Repaired<T> {
  readonly value: T;
  /** What was left out, and where settings that nobody knows stood. */
  readonly removed: readonly SettingPath[];
}

/** More mistakes than anybody reads. */
const MAX_REMOVED = 200;

/** What stands for a setting that is wrong where others need one; undefined: it is left out. */
export type StandIn = (path: SettingPath, wrong: unknown) => unknown;

/**
 * Leaves out every setting that the schema refuses, or puts something else in its place: without an address, all of an upstream
 * would be left out, and what is wrong in it would not be found. undefined where nothing valid is left.
 */
export function repair<T>(
  schema: z.ZodType<T>,
  value: unknown,
  standIn: StandIn = () => undefined,
): Repaired<T> | undefined {
  const copy: unknown = structuredClone(value);
  const removed: SettingPath[] = [];
  for (let count = 0; count < MAX_REMOVED; count++) {
    const result = schema.safeParse(copy);
    if (result.success) return { value: result.data, removed };
    const [issue] = result.error.issues.flatMap(within);
    const path = issue && firstOf(issue);
    const gone = path && (replace(copy, path, standIn) ?? remove(copy, path));
    if (gone === undefined) return undefined;
    removed.push(gone);
  }
  return undefined;
}

function firstOf(issue: z.core.$ZodIssue): SettingPath {
  return issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
}

/** Puts a value in the place of a wrong one, once. Returns the path, or undefined where it has done nothing. */
function replace(root: unknown, path: SettingPath, standIn: StandIn): SettingPath | undefined {
  const key = path.at(-1);
  const parent = parentOf(root, path);
  if (key === undefined || !isObject(parent) || !Object.hasOwn(parent, key)) return undefined;
  const by = standIn(path, parent[key]);
  if (by === undefined || parent[key] === by) return undefined;
  parent[key] = by;
  return path;
}

function parentOf(root: unknown, path: SettingPath): unknown {
  return path
    .slice(0, -1)
    .reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), root);
}

/** Removes a value; where there is none, what it is missing in. Returns the path of what is gone. */
function remove(root: unknown, path: SettingPath): SettingPath | undefined {
  const [key, ...before] = path.toReversed();
  if (key === undefined) return undefined;
  const parents = before.toReversed();
  const parent = parentOf(root, path);
  if (!isObject(parent) || !Object.hasOwn(parent, key)) return remove(root, parents);
  if (Array.isArray(parent)) {
    parent.splice(Number(key), 1);
  } else {
    delete parent[key];
  }
  return path;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}
