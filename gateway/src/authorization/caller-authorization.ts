import type { DescMethod } from "@bufbuild/protobuf";
import type {
  Authenticate,
  Authorization,
  AuthorizationHost,
  AuthorizationOptions,
  EndedTokens,
  SignInParts,
  SignInSettings,
} from "connect-rest-authorization";
import type { Rest, ServiceAdapter, UpstreamOptions } from "connect-rest-runtime";
import { gatewayError } from "../call/gateway-error.ts";
import { methodFactsOf, type RightsOptions, rightsOf } from "../credentials/caller-rights.ts";
import { wantedKindsOf } from "../credentials/pass-through.ts";
import { sessionCredentials } from "../credentials/session-credentials.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as ReflectionV1 } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import type { HttpRequest, HttpResponse } from "../listener/http.ts";
import type { Origin } from "../listener/origin.ts";
import { createCallMethod } from "./call-method.ts";
import { AuthorizationExchange } from "./exchange.ts";
import { loadAuthorization } from "./load.ts";
import { createScopeMap, type ScopeOptions } from "./scopes.ts";

/** What may be read without a token. */
export interface OpenParts {
  readonly health: boolean;
  readonly reflection: boolean;
  readonly pages: boolean;
}

/** How callers of a gateway are authorized. */
export interface CallerAuthorizationOptions extends AuthorizationOptions {
  readonly scopes: readonly ScopeOptions[];
  readonly open: OpenParts;
}

/** What the server gives to authorization. */
export type ServerParts = Pick<AuthorizationHost, "limits" | "log" | "metrics" | "onLimit">;

/** The authorization of callers, as the server uses it. */
export interface CallerAuthorization {
  readonly open: OpenParts;
  /** Whether a request is for an endpoint of the authorization server, and has been taken. */
  serve(request: HttpRequest, response: HttpResponse, origin: Origin): boolean;
  /** Whether pages of other origins may lead to a request. */
  isShared(path: string, method: string | undefined): boolean;
  /** Whether clients reach the gateway by https. */
  readonly isHttps: boolean;
  /** Whether requests for a path are served over https alone. */
  needsHttps(path: string): boolean;
  readonly authenticate: Authenticate;
  readonly ended: EndedTokens;
  readonly challenge: string;
  close(): Promise<void>;
}

type Upstream = RightsOptions & UpstreamOptions;

export interface PrepareOptions<U extends Upstream> {
  readonly options: CallerAuthorizationOptions;
  /** Undefined where nobody signs in by the configuration. */
  readonly signIn: SignInSettings | undefined;
  readonly adapters: readonly ServiceAdapter[];
  readonly upstreams: Readonly<Record<string, U>>;
  /** Asked once there are calls. */
  readonly rest: () => Rest;
  readonly log: AuthorizationHost["log"];
  readonly metrics: AuthorizationHost["metrics"];
}

/** Authorization before there is a server. */
export interface PreparedAuthorization<U> {
  /** The upstreams, where people sign in with the credentials of callers' sessions. */
  readonly upstreams: Readonly<Record<string, U>>;
  start(server: ServerParts): CallerAuthorization;
  /** Closes connections to where people sign in. */
  close(): Promise<void>;
}

const error: AuthorizationHost["error"] = (reason, text, code, cause) =>
  gatewayError(reason, text, code, [], cause);

/**
 * Loads the package of authorization, and puts sign-in together.
 *
 * @throws ConnectError where the package is not installed, or network settings are wrong
 */
export async function prepareAuthorization<U extends Upstream>(
  prepare: PrepareOptions<U>,
): Promise<PreparedAuthorization<U>> {
  const { options, adapters, log, metrics } = prepare;
  const { createAuthorization, createSignIn } = await loadAuthorization();
  const signIn =
    prepare.signIn &&
    createSignIn({
      settings: prepare.signIn,
      store: options.store,
      upstreams: prepare.upstreams,
      call: createCallMethod(prepare.rest),
      host: { log, metrics, error },
      now: options.now,
    });
  const upstreams =
    signIn === undefined ? prepare.upstreams : withSessions(prepare.upstreams, signIn, adapters);
  const { annotated, needsPerson } = methodFactsOf(adapters, upstreams);
  const facts = {
    scopes: createScopeMap(options.scopes, annotated),
    needsPerson,
    isOpen: isOpen(options.open),
  };
  return {
    upstreams,
    start: (server) => {
      const authorization = createAuthorization(
        { ...options, ...(signIn !== undefined && { signIn }) },
        facts,
        { ...server, error },
      );
      return forServer(authorization, options);
    },
    close: async () => signIn?.close(),
  };
}

function forServer(
  { server, ...others }: Authorization,
  { open, publicUrl }: CallerAuthorizationOptions,
): CallerAuthorization {
  const isHttps = publicUrl.startsWith("https:");
  return {
    ...others,
    open,
    isHttps,
    // probes of this network bring no token, and speak no TLS
    needsHttps: (path) => isHttps && !(open.health && path.startsWith(`/${Health.typeName}/`)),
    serve: (request, response, origin) => server.serve(new AuthorizationExchange(request, response, origin)),
    isShared: (path, method) => server.isShared(path, method),
  };
}

/** Methods of the gateway's own services that may be called without a token. */
function isOpen(open: OpenParts): (method: DescMethod) => boolean {
  const services = [
    ...(open.health ? [Health] : []),
    ...(open.reflection ? [ReflectionV1, ReflectionV1Alpha] : []),
  ];
  return ({ parent }) => services.some((service) => service === parent);
}

function withSessions<U extends Upstream>(
  upstreams: Readonly<Record<string, U>>,
  signIn: SignInParts,
  adapters: readonly ServiceAdapter[],
): Readonly<Record<string, U>> {
  const wantedKinds = wantedKindsOf(adapters);
  const entries = Object.entries(upstreams).map(([name, upstream]) => {
    const { credentials = {}, isApplicationToken = false } = upstream;
    // what callers bring themselves is theirs already; rejected with the configuration
    if (typeof credentials === "function" || !signIn.upstreams.includes(name)) {
      return [name, upstream] as const;
    }
    const own = sessionCredentials({
      upstream: name,
      fixed: rightsOf(credentials, isApplicationToken),
      wantedKinds,
      credentials: (id) => signIn.credentials(id, name),
    });
    return [name, { ...upstream, credentials: own }] as const;
  });
  return Object.fromEntries(entries);
}
