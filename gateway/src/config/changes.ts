import { isDeepStrictEqual } from "node:util";
import { Secret, type UpstreamOptions } from "connect-rest-runtime";
import type { BusOptions } from "../bus/bus-options.ts";
import { isReloaded, LIMIT_NAMES } from "../limits.ts";
import { dotted } from "./issues.ts";
import type { Config } from "./load.ts";
import { secretsOf } from "./secrets.ts";

/** Settings that differ between two configurations, as sorted dotted paths. */
export interface Changes {
  /** Settings that apply without a restart. */
  readonly live: readonly string[];
  /** Settings that apply only after a restart. */
  readonly restart: readonly string[];
}

/** A configuration with its files and secrets. */
interface Configured {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly watching: { readonly bus: Pick<BusOptions, "tls"> | undefined };
}

type Path = readonly string[];

type Upstreams = Readonly<Record<string, Pick<UpstreamOptions, "proxy" | "tls">>>;

/** Compares the running configuration with the new one: settings, and the contents of files and secrets. */
export function changesOf(running: Configured, next: Configured): Changes {
  const { live, restart } = changesBetween(running.config, next.config);
  const isNew = (group: string) => !restart.some((setting) => `${setting}.`.startsWith(`${group}.`));
  const groups = changedContents(running.upstreams, next.upstreams).filter(isNew);
  const [before, after] = [running.watching.bus?.tls, next.watching.bus?.tls];
  if (isNew("bus.tls") && differ(before, after)) groups.push("bus.tls");
  const isInGroup = (setting: string) => groups.some((group) => setting.startsWith(`${group}.`));
  const secrets = changedSecrets(running.config, next.config).filter(
    (each) => isNew(each) && !isInGroup(each),
  );
  return { live, restart: [...restart, ...groups, ...secrets].toSorted() };
}

/** Compares the settings of the running configuration with those in the file. */
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

/**
 * Returns the proxy and TLS settings of upstreams whose secrets or files have new contents, even at unchanged
 * paths. These settings apply only after a restart.
 */
export function changedContents(running: Upstreams, next: Upstreams): string[] {
  return Object.entries(running).flatMap(([name, before]) => {
    const after = next[name];
    if (after === undefined) return [];
    return (["proxy", "tls"] as const)
      .filter((key) => differ(before[key], after[key]))
      .map((key) => dotted(["upstreams", name, key]));
  });
}

/**
 * Returns the secret settings that need a restart and whose secret has changed, even if the setting still
 * refers to the same location.
 */
function changedSecrets(running: Config, next: Config): string[] {
  const before = secretsOf(running);
  return [...secretsOf(next)].flatMap(([key, { path, secret }]) => {
    const old = before.get(key)?.secret.reveal();
    return old === undefined || old === secret.reveal() || isLive(path.map(String), true)
      ? []
      : [dotted(path)];
  });
}

/** Returns whether a group exists in both configurations with different contents. */
function differ(before: unknown, after: unknown): boolean {
  return isObject(before) && isObject(after) && !isDeepStrictEqual(revealed(before), revealed(after));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns a copy of a group with the values of its secrets, for comparison. */
function revealed(group: unknown): unknown {
  if (!isObject(group)) return group;
  return Object.entries(group).map(([key, value]) => [key, value instanceof Secret ? value.reveal() : value]);
}

/**
 * Returns whether a setting applies without a restart. Adding or removing a setting without a default needs a
 * restart, except for credentials.
 */
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
