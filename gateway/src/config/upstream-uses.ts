import type { ServiceAdapter } from "connect-rest-runtime";
import { type AnyMethodAdapter, type CredentialKind, didYouMean } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import { isMcpSdkInstalled, MCP_SDK_MISSING } from "../mcp/load.ts";
import type { UpstreamSignIn } from "./authorization-sign-in.ts";
import { busWarnings } from "./bus.ts";
import { authorizationWarnings } from "./check-authorization.ts";
import { hostWarnings } from "./check-hosts.ts";
import { deadlineWarnings } from "./deadline-warnings.ts";
import { type Config, problemAt } from "./load.ts";
import { networkWarnings } from "./network-warnings.ts";
import type { Problem } from "./problems.ts";
import type { CredentialPlaces } from "./upstream-schema.ts";

/** The maximum number of methods listed in a message. */
const MAX_NAMED = 3;

/**
 * Returns a line for each upstream with the services that call it, e.g. `blog: blog.v1.BlogService,
 * blog.v1.PostService`.
 */
export function usesOf(config: Config, adapters: readonly ServiceAdapter[]): string[] {
  return Object.keys(config.upstreams).map((name) => {
    const services = adapters.filter((adapter) => methodsFor(name, [adapter]).length > 0);
    return `${name}: ${services.map(({ service }) => service.typeName).join(", ") || "no service"}`;
  });
}

/**
 * Returns warnings about settings that are valid but probably unintended: a gateway open to everyone,
 * deadlines over the maximum, upstreams without callers, methods without any of the credentials that they
 * accept, whose calls would all fail, and settings without effect.
 */
export function warningsOf(config: Config, adapters: readonly ServiceAdapter[]): Problem[] {
  return [
    ...hostWarnings(config),
    ...busWarnings(config),
    ...deadlineWarnings(config, adapters),
    ...upstreamWarnings(config, adapters),
    ...networkWarnings(config),
    ...authorizationWarnings(config, adapters),
    ...(config.mcp === undefined || isMcpSdkInstalled() ? [] : [problemAt(config, ["mcp"], MCP_SDK_MISSING)]),
  ];
}

/**
 * Returns warnings about methods that lack all credentials they accept, and about upstreams without methods.
 */
export function upstreamWarnings(config: Config, adapters: readonly ServiceAdapter[]): Problem[] {
  const called = new Set(methodsFor(undefined, adapters).map(({ rules }) => rules.upstream));
  return Object.entries(config.upstreams).flatMap(([name, { credentials, signIn }]) => {
    const text = called.has(name)
      ? credentialsText(methodsFor(name, adapters), credentials, signIn)
      : `no adapter calls this upstream.${didYouMean(name, called)}`;
    return text === undefined ? [] : [problemAt(config, ["upstreams", name], text)];
  });
}

function methodsFor(upstream: string | undefined, adapters: readonly ServiceAdapter[]): AnyMethodAdapter[] {
  return adapters
    .flatMap<AnyMethodAdapter>(({ methods }) => Object.values(methods))
    .filter(({ rules }) => upstream === undefined || rules.upstream === upstream);
}

function credentialsText(
  methods: readonly AnyMethodAdapter[],
  credentials: CredentialPlaces | undefined,
  signIn: UpstreamSignIn | undefined,
): string | undefined {
  const configured = kindsOf(credentials, signIn);
  const without = methods.filter(({ rules: { credentials: wanted } }) => {
    return wanted.length > 0 && !wanted.some((kind) => kind === "none" || configured.has(kind));
  });
  if (without.length === 0) return undefined;
  const named = without.slice(0, MAX_NAMED).map(({ method }) => methodPath(method));
  const more = without.length > MAX_NAMED ? ` and ${without.length - MAX_NAMED} more` : "";
  const kinds = [...new Set(without.flatMap(({ rules }) => rules.credentials))].join(", ");
  const has = configured.size === 0 ? "has none" : `has ${[...configured].join(", ")}`;
  return `${named.join(", ")}${more} will fail: they need credentials (${kinds}), and this upstream ${has}`;
}

/** Returns the credential kinds that are configured, sent by callers, or obtained when people sign in. */
function kindsOf(
  { passThrough, ...fixed }: CredentialPlaces = {},
  signIn?: UpstreamSignIn,
): ReadonlySet<CredentialKind> {
  const kinds: readonly (readonly [CredentialKind, unknown])[] = [
    ["api_key", fixed.apiKey ?? passThrough?.apiKey],
    ["oauth1_client", fixed.oauth1],
    ["oauth1", fixed.oauth1?.token ?? passThrough?.oauth1 ?? signIn?.oauth1],
    ["oauth2", fixed.oauth2 ?? passThrough?.oauth2 ?? signIn?.oauth2],
    ["basic", fixed.basic ?? passThrough?.basic],
  ];
  return new Set(kinds.filter(([, place]) => place !== undefined).map(([kind]) => kind));
}
