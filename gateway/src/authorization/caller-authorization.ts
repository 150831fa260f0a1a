import type { DescMethod } from "@bufbuild/protobuf";
import type {
  Authenticate,
  Authorization,
  AuthorizationHost,
  AuthorizationOptions,
  Authorize,
  EndedTokens,
  SignInParts,
  SignInSettings,
  ToolAuthorization,
} from "connect-rest-authorization";
import type { Rest, ServiceAdapter, UpstreamOptions } from "connect-rest-runtime";
import { consoleClient } from "../call/console-client.ts";
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
import { createScopeMap, EXPLAIN_SCOPES, type ScopeOptions } from "./scopes.ts";

/** The parts of a gateway that clients may read without a token. */
export interface OpenParts {
  readonly health: boolean;
  readonly reflection: boolean;
}

/** Options for the authorization of callers. */
export interface CallerAuthorizationOptions extends AuthorizationOptions {
  readonly scopes: readonly ScopeOptions[];
  readonly open: OpenParts;
}

/** The parts of the server that authorization uses. */
export type ServerParts = Pick<AuthorizationHost, "limits" | "log" | "metrics" | "onLimit">;

/** The authorization of callers, from the server's point of view. */
export interface CallerAuthorization {
  readonly open: OpenParts;
  /** Serves requests to endpoints of the authorization server; returns whether it took the request. */
  serve(request: HttpRequest, response: HttpResponse, origin: Origin): boolean;
  /** Returns whether pages of other origins may link to a path. */
  isShared(path: string, method: string | undefined): boolean;
  /** Whether clients reach the gateway over HTTPS. */
  readonly isHttps: boolean;
  /** Returns whether a path is served only over HTTPS. */
  needsHttps(path: string): boolean;
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** The checks of the endpoint that serves tools; undefined without `toolsPath`. */
  readonly tools: ToolAuthorization | undefined;
  readonly ended: EndedTokens;
  readonly challenge: string;
  close(): Promise<void>;
}

type Upstream = RightsOptions & UpstreamOptions;

export interface PrepareOptions<U extends Upstream> {
  readonly options: CallerAuthorizationOptions;
  /** The sign-in settings; undefined without sign-in. */
  readonly signIn: SignInSettings | undefined;
  readonly adapters: readonly ServiceAdapter[];
  readonly upstreams: Readonly<Record<string, U>>;
  /** Whether the gateway serves explanations. */
  readonly explain: boolean;
  /** Whether the gateway serves the console, which is a client then. */
  readonly console: boolean;
  /** Returns the remaining options; called once the server accepts calls. */
  readonly rest: () => Rest;
  readonly log: AuthorizationHost["log"];
  readonly metrics: AuthorizationHost["metrics"];
}

/** Authorization that is set up before the server exists. */
export interface PreparedAuthorization<U> {
  /** The upstreams; upstreams for sign-in use the credentials of callers' sessions. */
  readonly upstreams: Readonly<Record<string, U>>;
  start(server: ServerParts): CallerAuthorization;
  /** Closes the connections to sign-in upstreams. */
  close(): Promise<void>;
}

const error: AuthorizationHost["error"] = (reason, text, code, cause) =>
  gatewayError(reason, text, code, [], cause);

/**
 * Loads the authorization package and prepares sign-in.
 *
 * @throws ConnectError if the package is not installed, or if network settings are invalid
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
    scopes: createScopeMap(options.scopes, annotated, prepare.explain ? EXPLAIN_SCOPES : []),
    needsPerson,
    isOpen: isOpen(options.open),
  };
  return {
    upstreams,
    start: (server) => {
      const authorization = createAuthorization(
        {
          ...options,
          ...(signIn !== undefined && { signIn }),
          ...(prepare.console && { ownClient: consoleClient(options.publicUrl) }),
        },
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
    // health probes from the local network have no token and do not use TLS
    needsHttps: (path) => isHttps && !(open.health && path.startsWith(`/${Health.typeName}/`)),
    serve: (request, response, origin) => server.serve(new AuthorizationExchange(request, response, origin)),
    isShared: (path, method) => server.isShared(path, method),
  };
}

/**
 * Returns a predicate for the methods of the gateway's own services that clients may call without a token.
 */
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
    // credentials functions already use each caller's credentials; a configuration that combines them with
    // sign-in is rejected elsewhere
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
