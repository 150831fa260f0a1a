import { Secret, type WatchOptions } from "connect-rest-runtime";
import { isLoopbackOrigin } from "connect-rest-runtime/internal";
import type { BusOptions } from "../bus/bus-options.ts";
import type { Environment } from "./environment.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { SecretReader } from "./secrets.ts";
import { FileReader, readTls } from "./upstream-tls.ts";

/** The minimum length of a key, in characters. */
const MIN_KEY_LENGTH = 32;

/** The settings of feeds and of the bus that shares them, with all secrets. */
export interface Watching {
  readonly watch: Pick<WatchOptions, "resumeKey" | "maxFeeds"> | undefined;
  /** The options of the bus; undefined without a bus. */
  readonly bus: BusOptions | undefined;
}

/**
 * Reads the secrets and files of `watch` and `bus`.
 *
 * @throws ConfigError naming each secret or file that cannot be read
 */
export function resolveWatching(config: Config, env: Environment): Watching {
  const problems: Problem[] = [];
  const watch = readWatch(config, env, problems);
  const bus = readBus(config, env, problems);
  if (bus !== undefined && config.watch?.resumeKey === undefined) {
    const text = "processes share feeds where they have the same watch.resumeKey: set it as well";
    problems.push(problemAt(config, ["bus"], text));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { watch, bus };
}

function readWatch(config: Config, env: Environment, problems: Problem[]): Watching["watch"] {
  const { resumeKey, previousResumeKey, maxFeeds } = config.watch ?? {};
  const reader = new SecretReader(config, env, ["watch"], problems);
  if (resumeKey === undefined && previousResumeKey !== undefined) {
    reader.report("a previous key needs one that is used now: resumeKey", "previousResumeKey");
  }
  if (resumeKey === undefined) return maxFeeds === undefined ? undefined : { maxFeeds };
  const keys = [keyAt(reader, resumeKey, "resumeKey")];
  if (previousResumeKey !== undefined) keys.push(keyAt(reader, previousResumeKey, "previousResumeKey"));
  return { resumeKey: keys, ...(maxFeeds !== undefined && { maxFeeds }) };
}

function readBus(config: Config, env: Environment, problems: Problem[]): BusOptions | undefined {
  const { bus } = config;
  if (bus === undefined) return undefined;
  const { url, username, password, tls, key, previousKey, prefix } = bus;
  const reader = new SecretReader(config, env, ["bus"], problems);
  if (tls !== undefined && !url.startsWith("rediss:")) {
    reader.report("TLS needs an address with rediss:", "tls");
  }
  if (username !== undefined && password === undefined) reader.report("a user needs a password", "username");
  if (key === undefined && previousKey !== undefined) {
    reader.report("a previous key needs one that is used now: key", "previousKey");
  }
  const keys = [key && keyAt(reader, key, "key"), previousKey && keyAt(reader, previousKey, "previousKey")];
  return {
    url,
    username: username && reader.read(username, "username"),
    password: password && reader.read(password, "password"),
    tls: tls && readTls(tls, new FileReader(config, ["bus", "tls"], problems)),
    keys: keys.filter((each) => each !== undefined),
    prefix,
  };
}

function keyAt(reader: SecretReader, place: Parameters<SecretReader["read"]>[0], name: string): Secret {
  const key = reader.read(place, name);
  const { length } = key.reveal();
  if (length > 0 && length < MIN_KEY_LENGTH) {
    reader.report(
      `expected a key of at least ${MIN_KEY_LENGTH} characters, e.g. of openssl rand -hex 32; it has ${length}`,
      name,
    );
    return new Secret("0".repeat(MIN_KEY_LENGTH));
  }
  return key;
}

/** Returns warnings about bus traffic that others could read. */
export function busWarnings(config: Config): Problem[] {
  const { url = "" } = config.bus ?? {};
  if (!url.startsWith("redis:") || isLoopbackOrigin(url.replace("redis:", "http:"))) return [];
  const text =
    "goes over the network without TLS: anyone on the path can read the password and public feeds; use rediss:";
  return [problemAt(config, ["bus", "url"], text)];
}
