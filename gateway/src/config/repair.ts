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

/** A mistake may hide one in what it is about, but they are not nested deep. */
const MAX_ROUNDS = 20;

/** What stands for a setting that is wrong where others need one; undefined: it is left out. */
export type StandIn = (path: SettingPath, wrong: unknown) => unknown;

/**
 * Leaves out every setting that the schema rejects, or puts something else in its place: without an address,
 * all of an upstream would be left out, and what is wrong in it would not be found.
 * undefined where nothing valid is left.
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
 * All mistakes that are found at once: a file with many would take a time with the
 * square of their number one by one.
 */
class Round {
  private readonly root: unknown;
  private readonly standIn: StandIn;
  /** Settings that are not what they were: what was found in them may be over. */
  private readonly changed = new Set<string>();
  /** Items that go, once all are known: until then the others keep their places. */
  private readonly items = new Map<unknown[], Set<number>>();

  constructor(root: unknown, standIn: StandIn) {
    this.root = root;
    this.standIn = standIn;
  }

  /** Leaves out or replaces what is at the paths, and returns where. */
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

  /** Removes a value; where there is none, what it is missing in. Returns the path of what is gone. */
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

/**
 * Puts a value in the place of a wrong one, once. Returns the path, or undefined where it has done nothing.
 */
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
