import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { ProbeSettings, ProviderSettings, SignInSettings } from "connect-rest-authorization";
import { type Credentials, Secret, type ServiceAdapter } from "connect-rest-runtime";
import { didYouMean, sealingKeyBytes } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import type { UpstreamSignIn } from "./authorization-sign-in.ts";
import type { Environment } from "./environment.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";
import { SecretReader } from "./secrets.ts";

/** Sign-in settings that override the configuration. */
export interface SignInOverrides {
  /** Overrides by upstream, with the secret itself in place of its location. */
  readonly upstreams: Readonly<
    Record<string, { readonly settings: UpstreamSignIn; readonly clientSecret: string }>
  >;
  readonly keys: readonly Secret[];
}

/**
 * Reads the sign-in settings; returns undefined without sign-in.
 *
 * @throws ConfigError naming each invalid setting
 */
export function resolveSignIn(
  config: Config,
  env: Environment,
  adapters: readonly ServiceAdapter[],
  overrides?: SignInOverrides,
): SignInSettings | undefined {
  const { authorization } = config;
  if (authorization === undefined) return undefined;
  const problems: Problem[] = [];
  const providers = Object.entries(config.upstreams).flatMap(([name, { signIn }]) => {
    const override = overrides?.upstreams[name];
    const settings = override?.settings ?? signIn;
    if (settings === undefined) return [];
    const reader = new SecretReader(config, env, ["upstreams", name, "signIn"], problems);
    if (override === undefined) problems.push(...contradictions(config, name));
    checkProbes(name, settings, adapters, reader);
    return [providerOf(name, settings, reader, override?.clientSecret)];
  });
  const keys = providers.length === 0 ? [] : (overrides?.keys ?? readKeys(config, env, problems));
  if (problems.length > 0) throw new ConfigError(problems);
  if (providers.length === 0) return undefined;
  const { idleSeconds, sessionSeconds, consentSeconds } = authorization.signIn;
  return {
    keys,
    providers,
    idleMs: idleSeconds * 1000,
    sessionMs: sessionSeconds * 1000,
    consentMs: consentSeconds * 1000,
    permissions: Object.fromEntries(
      Object.entries(authorization.scopes).map(([name, { description = name }]) => [name, description]),
    ),
  };
}

function readKeys(config: Config, env: Environment, problems: Problem[]): Secret[] {
  const reader = new SecretReader(config, env, ["authorization", "signIn"], problems);
  const { keys } = config.authorization?.signIn ?? {};
  if (keys === undefined) {
    const text =
      "people sign in at an upstream, and their tokens are stored encrypted: name a key, e.g. keys: [{ env: SIGN_IN_KEY }], of 32 random bytes (openssl rand -base64 32)";
    problems.push(problemAt(config, ["authorization", "signIn"], text));
    return [];
  }
  return keys.map((place, index) => {
    const secret = reader.read(place, "keys", index);
    try {
      // an unreadable secret has already been reported
      if (secret.reveal() !== "") sealingKeyBytes(secret);
    } catch (error) {
      reader.report(error instanceof Error ? error.message : String(error), "keys", index);
    }
    return secret;
  });
}

function providerOf(
  name: string,
  { title = name, required, oauth1, oauth2, identity, check }: UpstreamSignIn,
  reader: SecretReader,
  clientSecret: string | undefined,
): ProviderSettings {
  return {
    name,
    title,
    required,
    server:
      oauth1 === undefined
        ? { kind: "oauth2", settings: oauth2Of(oauth2, reader, clientSecret) }
        : {
            kind: "oauth1",
            settings: {
              ...oauth1,
              consumerKey: reader.read(oauth1.consumerKey, "oauth1", "consumerKey"),
              consumerSecret: reader.read(oauth1.consumerSecret, "oauth1", "consumerSecret"),
            },
          },
    identity: { probe: probeOf(identity), field: identity.field },
    check: check && { probe: probeOf(check), everyMs: check.everySeconds * 1000 },
  };
}

function oauth2Of(oauth2: UpstreamSignIn["oauth2"], reader: SecretReader, override: string | undefined) {
  // the schema requires one of oauth1 and oauth2
  if (oauth2 === undefined) throw new Error("neither oauth1 nor oauth2");
  const { clientSecret: place, ...settings } = oauth2;
  const clientSecret =
    override === undefined ? place && reader.read(place, "oauth2", "clientSecret") : new Secret(override);
  return { ...settings, clientSecret };
}

type ProbeConfig = Pick<UpstreamSignIn["identity"], "method" | "url" | "request">;

function probeOf({ method, url = "", request }: ProbeConfig): ProbeSettings {
  return method === undefined ? { url } : { method, request };
}

/** Checks that the methods that sign-in calls exist, and belong to the upstream of the sign-in. */
function checkProbes(
  upstream: string,
  { identity, check }: UpstreamSignIn,
  adapters: readonly ServiceAdapter[],
  reader: SecretReader,
): void {
  for (const [setting, probe] of Object.entries({ identity, check })) {
    if (probe?.method === undefined) continue;
    const problem = problemOf(probe.method, probe.request ?? {}, upstream, adapters);
    if (problem !== undefined) reader.report(problem, setting, "method");
  }
}

function problemOf(
  name: string,
  request: JsonValue,
  upstream: string,
  adapters: readonly ServiceAdapter[],
): string | undefined {
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods));
  const own = methods.filter(({ kind, rules }) => kind === "unary" && rules.upstream === upstream);
  const found = own.find(({ method }) => methodPath(method) === name);
  if (found === undefined) {
    const hint = didYouMean(
      name,
      own.map(({ method }) => methodPath(method)),
    );
    return `no adapter has a unary method ${name} of the upstream ${upstream}.${hint}`;
  }
  try {
    fromJson(found.method.input, request);
    return undefined;
  } catch (error) {
    return `the request does not fit ${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Checks that there is only one source for a caller's credentials. */
function contradictions(config: Config, name: string): Problem[] {
  const { credentials } = config.upstreams[name] ?? {};
  const report = (key: keyof Credentials | "passThrough", text: string) =>
    problemAt(config, ["upstreams", name, "credentials", key], text);
  const text =
    "people sign in at this upstream, so that a person's token comes from their session; remove it";
  return [
    ...(credentials?.passThrough === undefined ? [] : [report("passThrough", text)]),
    ...(credentials?.oauth1?.token === undefined ? [] : [report("oauth1", text)]),
    ...(credentials?.oauth2 === undefined || credentials.oauth2.application ? [] : [report("oauth2", text)]),
  ];
}
