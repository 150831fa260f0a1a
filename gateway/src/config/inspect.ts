import type { DescFile } from "@bufbuild/protobuf";
import type { SignInSettings } from "connect-rest-authorization";
import { createRest, type ServiceAdapter, type UpstreamOptions } from "connect-rest-runtime";
import { runtimeOptionsOf } from "../credentials/gateway-upstream.ts";
import type { CertificateFiles } from "../listener/certificate.ts";
import { readAdapters } from "./adapters.ts";
import { type ResolvedAuthorization, resolveAuthorization } from "./authorization.ts";
import { authorizationSchema } from "./authorization-schema.ts";
import { resolveWatching, type Watching } from "./bus.ts";
import { checkAuthorization } from "./check-authorization.ts";
import { checkDifferences } from "./check-differences.ts";
import { checkHosts } from "./check-hosts.ts";
import { checkPassThrough } from "./check-pass-through.ts";
import { checkPatterns } from "./check-patterns.ts";
import { checkUpstreams } from "./check-upstreams.ts";
import type { Environment } from "./environment.ts";
import { type Config, problemAt, readConfig } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";
import type { SettingPath } from "./repair.ts";
import { dryUpstreams, resolveUpstreams, type UpstreamOverrides } from "./secrets.ts";
import { resolveSignIn, type SignInOverrides } from "./sign-in.ts";
import { resolveTls } from "./tls.ts";
import { readTypes } from "./types.ts";

/** A valid configuration, with the loaded modules, files and secrets. */
export interface Prepared {
  readonly config: Config;
  readonly adapters: readonly ServiceAdapter[];
  /** Files with additional types for google.protobuf.Any. */
  readonly types: readonly DescFile[];
  /** Includes secrets. */
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /**
   * Headers that browser pages may send in requests, in lower case: headers of callers' credentials, and
   * configured headers.
   */
  readonly corsHeaders: readonly string[];
  readonly tls: CertificateFiles | undefined;
  readonly watching: Watching;
  /** The authorization of callers; undefined if callers are not authorized. */
  readonly authorization: ResolvedAuthorization | undefined;
  /** The sign-in settings; undefined without sign-in. */
  readonly signIn: SignInSettings | undefined;
}

/** Authorization that replaces the configured one. */
export interface AuthorizationOverrides {
  readonly publicUrl: string;
  readonly signIn: SignInOverrides;
}

/** Values that override settings. */
export interface Overrides {
  /** Settings for the upstreams that a sandbox replaces, by name. Default: none. */
  readonly upstreams?: UpstreamOverrides | undefined;
  /** The address to listen on. Default: the configured one. */
  readonly host?: string | undefined;
  /**
   * Enables authorization with default settings at a public URL, with sign-in at a sandbox. Default: as
   * configured.
   */
  readonly authorization?: AuthorizationOverrides | undefined;
}

/**
 * Reads a configuration with its secrets, certificates and adapters.
 *
 * @throws ConfigError with all problems; no problem hides another
 */
export async function prepare(file: string, env: Environment, overrides: Overrides = {}): Promise<Prepared> {
  const { config: read, problems: first, removed } = readConfig(file, env);
  const problems = [...first];
  if (read === undefined) throw new ConfigError(problems);
  const config = withAuthorization(read, overrides.authorization);
  const halved = new Set(removed.map((path) => path.slice(0, -1).join(".")));
  const collect = (error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    // a group from which an invalid setting was removed may fail only because that setting is missing
    problems.push(...error.problems.filter(({ key }) => !halved.has(key)));
    return undefined;
  };
  const adapters = config.adapters.length === 0 ? [] : await readAdapters(config, problems);
  const types = await readTypes(config, problems);
  const upstreams = attempt(() => resolveUpstreams(config, env, overrides.upstreams, adapters), collect);
  if (hasHosts(removed)) attempt(() => checkHosts(config, overrides.host), collect);
  const corsHeaders = hasCredentials(removed) ? attempt(() => checkPassThrough(config), collect) : undefined;
  const tls = attempt(() => resolveTls(config), collect);
  const watching = attempt(() => resolveWatching(config, env), collect);
  const authorization = attempt(() => resolveAuthorization(config, env, adapters), collect);
  if (isWhole("authorization", removed) && isWhole("routes", removed)) {
    attempt(() => checkAuthorization(config, adapters, overrides.host), collect);
  }
  const signIn = attempt(
    () => resolveSignIn(config, env, adapters, overrides.authorization?.signIn),
    collect,
  );
  attempt(() => checkDifferences(config, adapters), collect);
  attempt(() => checkPatterns(config, adapters), collect);
  if (hasAddresses(removed, config)) {
    attempt(() => checkUpstreams(config, adapters, { ...config.upstreams, ...overrides.upstreams }), collect);
  }
  if (problems.length === 0) problems.push(...runtimeProblems(config, adapters, upstreams ?? {}));
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    config,
    adapters,
    types,
    upstreams: upstreams ?? {},
    corsHeaders: [...(corsHeaders ?? []), ...config.server.allowedHeaders.map((name) => name.toLowerCase())],
    tls,
    authorization,
    signIn,
    watching: watching ?? { watch: undefined, bus: undefined },
  };
}

/**
 * Reads the parts of a configuration that describe calls. Secrets and certificates are not needed.
 *
 * @throws ConfigError with all problems
 */
export async function prepareDryRun(
  file: string,
  env: Environment,
  overrides: Pick<Overrides, "upstreams"> = {},
): Promise<Pick<Prepared, "config" | "adapters" | "types" | "upstreams">> {
  const { config, problems: first } = readConfig(file, env);
  const problems = [...first];
  if (config === undefined) throw new ConfigError(problems);
  const adapters = config.adapters.length === 0 ? [] : await readAdapters(config, problems);
  const types = await readTypes(config, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return { config, adapters, types, upstreams: dryUpstreams(config, env, overrides.upstreams, adapters) };
}

/** Returns the configuration with its authorization replaced by the override, if there is one. */
function withAuthorization(config: Config, override: AuthorizationOverrides | undefined): Config {
  if (override === undefined) return config;
  const authorization = authorizationSchema.parse({ publicUrl: override.publicUrl });
  return { ...config, authorization };
}

function attempt<T>(work: () => T, collect: (error: unknown) => undefined): T | undefined {
  try {
    return work();
  } catch (error) {
    return collect(error);
  }
}

// The following functions return whether a section is complete. Problems that follow only from the removal of
// an invalid setting are not reported.

function isWhole(section: string, removed: readonly SettingPath[]): boolean {
  return !removed.some(([root]) => root === section);
}

function hasHosts(removed: readonly SettingPath[]): boolean {
  return !removed.some(
    ([root, key]) => root === "server" && (key === undefined || /^host/.test(String(key))),
  );
}

function hasCredentials(removed: readonly SettingPath[]): boolean {
  return !removed.some(
    ([root, , key]) => root === "upstreams" && (key === undefined || key === "credentials"),
  );
}

function hasAddresses(removed: readonly SettingPath[], { yaml }: Config): boolean {
  const isNamed = typeof yaml.value === "object" && yaml.value !== null && "upstreams" in yaml.value;
  return !removed.some(([root, name, key]) => {
    if (name === undefined) return root === "upstreams" || !isNamed;
    return root === "upstreams" && (key === undefined || key === "baseUrl" || key === "bases");
  });
}

/** Finds problems that the runtime reports and no schema describes. */
function runtimeProblems(
  config: Config,
  adapters: readonly ServiceAdapter[],
  upstreams: Readonly<Record<string, UpstreamOptions>>,
): Problem[] {
  try {
    // the runtime opens no connection before its first call, so nothing needs closing
    createRest({ adapters, upstreams: runtimeOptionsOf(upstreams), differences: config.differences });
    return [];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [problemAt(config, ["upstreams"], text)];
  }
}
