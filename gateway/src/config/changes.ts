import { isDeepStrictEqual } from "node:util";
import { isReloaded, LIMIT_NAMES } from "../limits.ts";
import { dotted } from "./issues.ts";
import type { Config } from "./load.ts";

/** Settings that differ between two configurations, as dotted paths in the order of the alphabet. */
export interface Changes {
  /** Those that count at once. */
  readonly live: readonly string[];
  /** Those that count from the next start on. */
  readonly restart: readonly string[];
}

type Path = readonly string[];

/** Compares what runs with what is in the file now. */
export function changesBetween(running: Config, next: Config): Changes {
  const before = leavesOf(settingsOf(running));
  const after = leavesOf(settingsOf(next));
  const live: string[] = [];
  const restart: string[] = [];
  for (const [key, { path }] of new Map([...before, ...after])) {
    const [old, now] = [before.get(key)?.value, after.get(key)?.value];
    if (isDeepStrictEqual(old, now)) continue;
    const list = isLive(path, old !== undefined && now !== undefined) ? live : restart;
    list.push(dotted(path));
  }
  return { live: live.toSorted(), restart: restart.toSorted() };
}

/** A setting without default that appears or goes needs more than a new value, but for credentials. */
function isLive(path: Path, isInBoth: boolean): boolean {
  const [root, key, name, kind] = path;
  if (root === "log") return key === "level";
  if (root === "upstreams") return name === "credentials" && kind !== "passThrough";
  if (root !== "server") return false;
  if (key === "limits") return LIMIT_NAMES.some((limit) => limit === name && isReloaded(limit));
  return key === "tls" && isInBoth;
}

function settingsOf({ file: _, directory: __, yaml: ___, ...settings }: Config): object {
  return settings;
}

interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

function leavesOf(value: unknown, path: Path = []): Map<string, Leaf> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value === undefined ? new Map() : new Map([[JSON.stringify(path), { path, value }]]);
  }
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...leavesOf(inner, [...path, key])]));
}
