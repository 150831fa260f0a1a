import type { z } from "zod";
import { within } from "./issues.ts";

/** The path of a setting in the file, from the root. */
export type SettingPath = readonly PropertyKey[];

/** A file without its invalid settings, so that the remaining mistakes can be found in the same run. */
export interface Repaired<T> {
  readonly value: T;
  /** The removed settings, including unknown settings. */
  readonly removed: readonly SettingPath[];
}

/**
 * The maximum number of validations. A mistake may hide other mistakes inside the same value, but such
 * mistakes are not nested deeply.
 */
const MAX_ROUNDS = 20;

/**
 * Returns a replacement for an invalid setting that other settings need, or undefined to remove the setting.
 */
export type StandIn = (path: SettingPath, wrong: unknown) => unknown;

/**
 * Removes or replaces every setting that the schema rejects. An upstream address is replaced, because without
 * an address the whole upstream would be removed, and its other mistakes would not be found. Returns
 * undefined if nothing valid remains.
 */
export function repair<T>(
  schema: z.ZodType<T>,
  value: unknown,
  standIn: StandIn = () => undefined,
): Repaired<T> | undefined {
  const copy: unknown = structuredClone(value);
  const removed: SettingPath[] = [];
  for (let count = 0; count < MAX_ROUNDS; count++) {
    const result = schema.safeParse(copy);
    if (result.success) return { value: result.data, removed };
    const gone = new Round(copy, standIn).repair(result.error.issues.flatMap(within).flatMap(pathsOf));
    if (gone.length === 0) return undefined;
    for (const path of gone) removed.push(path);
  }
  return undefined;
}

function pathsOf(issue: z.core.$ZodIssue): SettingPath[] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

/**
 * Repairs all mistakes found in one validation, because repairing them one by one would take quadratic time.
 */
class Round {
  private readonly root: unknown;
  private readonly standIn: StandIn;
  /** Settings that have changed, so that further issues within them may be obsolete. */
  private readonly changed = new Set<string>();
  /** List items to remove; they are removed last, so that the indices of the other items stay valid. */
  private readonly items = new Map<unknown[], Set<number>>();

  constructor(root: unknown, standIn: StandIn) {
    this.root = root;
    this.standIn = standIn;
  }

  /** Removes or replaces the values at the paths, and returns the changed paths. */
  repair(paths: readonly SettingPath[]): SettingPath[] {
    const gone: SettingPath[] = [];
    for (const path of paths) {
      if (this.isChanged(path)) continue;
      const at = replace(this.root, path, this.standIn) ?? this.remove(path);
      if (at === undefined) continue;
      this.changed.add(keyOf(at));
      gone.push(at);
    }
    for (const [list, indexes] of this.items) {
      const kept = list.filter((_, index) => !indexes.has(index));
      list.length = 0;
      for (const item of kept) list.push(item);
    }
    return gone;
  }

  private isChanged(path: SettingPath): boolean {
    return path.some((_, index) => this.changed.has(keyOf(path.slice(0, index + 1))));
  }

  /** Removes a value or, if it is missing, its parent. Returns the path of the removed value. */
  private remove(path: SettingPath): SettingPath | undefined {
    const key = path.at(-1);
    if (key === undefined) return undefined;
    const parent = parentOf(this.root, path);
    if (!isObject(parent) || !Object.hasOwn(parent, key)) return this.remove(path.slice(0, -1));
    if (Array.isArray(parent)) {
      const indexes = this.items.get(parent) ?? new Set();
      this.items.set(parent, indexes.add(Number(key)));
    } else {
      delete parent[key];
    }
    return path;
  }
}

function keyOf(path: SettingPath): string {
  return JSON.stringify(path.map(String));
}

/** Replaces an invalid value, at most once. Returns the path, or undefined if nothing changed. */
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

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}
