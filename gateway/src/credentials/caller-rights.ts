import type { DescMethod } from "@bufbuild/protobuf";
import type { ServiceAdapter } from "connect-rest-runtime";
import type { CredentialKind, CredentialsSource, FixedCredentials } from "connect-rest-runtime/internal";
import { currentSubject } from "../call/call.ts";
import { has } from "./pass-through.ts";

/** The fixed credentials of an upstream, and whether their access token belongs to a person. */
export interface RightsOptions {
  readonly credentials?: CredentialsSource | undefined;
  /** Whether the access token of `oauth2` belongs to the application and not to a person. Default: false. */
  readonly isApplicationToken?: boolean | undefined;
}

type Upstreams<T extends RightsOptions> = Readonly<Record<string, T>>;

/** Credential kinds that belong to a person, unless configured otherwise. */
const OF_PEOPLE: ReadonlySet<CredentialKind> = new Set<CredentialKind>(["oauth1", "oauth2"]);

/**
 * Returns upstreams that use a person's fixed credentials only for callers that act for a person. A client
 * that acts for itself must not use the identity of the person who configured the gateway. Credentials
 * functions are not changed.
 */
export function withRightsOfCallers<T extends RightsOptions>(upstreams: Upstreams<T>): Upstreams<T> {
  const entries = Object.entries(upstreams).map(([name, upstream]) => {
    const { credentials, isApplicationToken = false } = upstream;
    if (credentials === undefined || typeof credentials === "function") return [name, upstream] as const;
    return [name, { ...upstream, credentials: rightsOf(credentials, isApplicationToken) }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns credentials that, for each call, contain only the kinds that the caller may use. */
export function rightsOf(credentials: FixedCredentials, isApplicationToken: boolean): FixedCredentials {
  const current = () => (isForItself() ? ofApplication(credentials, isApplicationToken) : credentials);
  return {
    get apiKey() {
      return current().apiKey;
    },
    get oauth1() {
      return current().oauth1;
    },
    get oauth2() {
      return current().oauth2;
    },
    get basic() {
      return current().basic;
    },
  };
}

/** Returns whether the current call or poll is made for a client that acts for itself. */
function isForItself(): boolean {
  const subject = currentSubject();
  return subject !== undefined && subject.person === undefined;
}

function ofApplication(
  { apiKey, oauth1, oauth2, basic }: FixedCredentials,
  isApplicationToken: boolean,
): FixedCredentials {
  return {
    apiKey,
    basic,
    oauth1: oauth1 && { ...oauth1, token: undefined, tokenSecret: undefined },
    oauth2: isApplicationToken ? oauth2 : undefined,
  };
}

/**
 * Returns the scopes that the rules require for each method, and the methods that a client cannot call when
 * it acts for itself.
 */
export function methodFactsOf(
  adapters: readonly ServiceAdapter[],
  upstreams: Upstreams<RightsOptions>,
): {
  readonly annotated: ReadonlyMap<DescMethod, readonly string[]>;
  readonly needsPerson: (method: DescMethod) => boolean;
} {
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods));
  const annotated = new Map<DescMethod, readonly string[]>(
    methods.map(({ method, rules }) => [method, rules.scopes]),
  );
  const personal = methods.filter(({ rules }) => isPersonal(rules.credentials, upstreams[rules.upstream]));
  const needing = new Set<DescMethod>(personal.map(({ method }) => method));
  return { annotated, needsPerson: (method) => needing.has(method) };
}

function isPersonal(wanted: readonly CredentialKind[], upstream: RightsOptions | undefined): boolean {
  const { credentials = {}, isApplicationToken = false } = upstream ?? {};
  if (wanted.length === 0 || wanted.includes("none") || typeof credentials === "function") return false;
  const own = ofApplication(credentials, isApplicationToken);
  if (wanted.some((kind) => has(own, kind))) return false;
  return wanted.some((kind) => has(credentials, kind)) || wanted.every((kind) => OF_PEOPLE.has(kind));
}
