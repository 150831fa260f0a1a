import type { DescMethod } from "@bufbuild/protobuf";
import type { ServiceAdapter } from "connect-rest-runtime";
import type { CredentialKind, CredentialsSource, FixedCredentials } from "connect-rest-runtime/internal";
import { currentSubject } from "../call/call.ts";
import { has } from "./pass-through.ts";

/** FixedCredentials of an upstream, and which of them are a person's. */
export interface RightsOptions {
  readonly credentials?: CredentialsSource | undefined;
  /** Whether the access token of `oauth2` is the application's own, and no person's. Default: false. */
  readonly isApplicationToken?: boolean | undefined;
}

type Upstreams<T extends RightsOptions> = Readonly<Record<string, T>>;

/** Kinds of credentials that stand for a person, unless said otherwise. */
const OF_PEOPLE: ReadonlySet<CredentialKind> = new Set<CredentialKind>(["oauth1", "oauth2"]);

/**
 * Upstreams whose fixed credentials of a person are there for callers alone that call for a person: a client
 * that calls for itself must not act as whoever has configured the gateway. Functions decide by themselves.
 */
export function withRightsOfCallers<T extends RightsOptions>(upstreams: Upstreams<T>): Upstreams<T> {
  const entries = Object.entries(upstreams).map(([name, upstream]) => {
    const { credentials, isApplicationToken = false } = upstream;
    if (credentials === undefined || typeof credentials === "function") return [name, upstream] as const;
    return [name, { ...upstream, credentials: rightsOf(credentials, isApplicationToken) }] as const;
  });
  return Object.fromEntries(entries);
}

/** FixedCredentials that are, in each call, those that its caller may use. */
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

/** Whether the running call, or poll, is that of a client that calls for itself. */
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

/** The scopes that the rules of methods have, and which methods a client cannot call for itself. */
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
