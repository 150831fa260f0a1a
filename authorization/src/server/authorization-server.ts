import { hashOf, isLoopbackAddress } from "connect-rest-runtime/internal";
import { isTwice } from "../authorization-header.ts";
import { type AuthorizationLimits, type HttpExchange, redirect } from "../host.ts";
import { INTERACTION_PATH } from "../interaction.ts";
import type { AuthorizationServerOptions, EndpointName } from "./authorization-options.ts";
import { type Browser, BrowserCookie } from "./browser-cookie.ts";
import { Engine } from "./engine.ts";
import { sendEngineResponse } from "./engine-response.ts";
import { sendErrorPage, sendOnwardPage } from "./error-page.ts";
import { serveFlow } from "./flows.ts";
import { JSON_TYPE, sendJson } from "./json-response.ts";
import type { WholeRequest } from "./memory-exchange.ts";
import { RESOURCE_METADATA_PATH, resourceMetadata, serverMetadata } from "./metadata.ts";
import { OAuthError } from "./oauth-error.ts";
import { knownOutcome } from "./outcomes.ts";
import { createProvider, METADATA_PATH } from "./provider.ts";
import { Rate } from "./rate.ts";
import { type BodyLimits, isType, readForm, readText } from "./read-form.ts";
import { checkRegistration, registrationResponse } from "./registration.ts";
import { settleResource } from "./resource-indicator.ts";
import { shareWithPages } from "./share-with-pages.ts";
import { redirectUriOf } from "./stored-token.ts";

/** The endpoints of OAuth 2.1, and the metadata that describes them. */
export interface AuthorizationServer {
  /**
   * Starts to serve a request if its path is an endpoint, and reports whether it did. The response is sent
   * later.
   */
  serve(exchange: HttpExchange): boolean;
  /**
   * Reports whether pages of other origins may send a request. They may link to the sign-in, and use
   * endpoints that return nothing without a code, secret or token. Sign-in forms must come from this server's
   * pages.
   */
  isShared(path: string, method: string | undefined): boolean;
}

/** The maximum length of a request body, in bytes. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * The maximum length of an authorization request that is sent as a form, in bytes. The request must fit into
 * a URL.
 */
const MAX_AUTHORIZATION_BYTES = 8 * 1024;

/** OpenID Connect parameters, which an OAuth server ignores (RFC 6749 section 3.1). */
const OF_OPENID = ["acr_values", "claims_locales", "id_token_hint", "max_age", "nonce"] as const;

/** An endpoint that serves a path. */
interface Endpoint {
  readonly name: EndpointName;
  readonly methods: readonly string[];
  /** Whether pages of any origin may use the endpoint: it returns nothing without a code, secret or token. */
  readonly isShared: boolean;
  readonly handle: (exchange: HttpExchange) => Promise<string | undefined>;
}

/** Creates the authorization server. It is idle until requests arrive. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  return new Server(options);
}

class Server implements AuthorizationServer {
  private readonly options: AuthorizationServerOptions;
  private readonly engine: Engine;
  private readonly requests: Rate;
  private readonly registrations: Rate;
  private readonly configured: ReadonlySet<string>;
  private readonly browsers: BrowserCookie;
  private readonly endpoints: ReadonlyMap<string, Endpoint>;
  private metadata: string | undefined;

  constructor(options: AuthorizationServerOptions) {
    const { limits, now, registration, lifetimes, log, metrics } = options;
    this.options = options;
    const provider = createProvider({
      ...options,
      registration: {
        isOpen: registration !== undefined,
        initialAccessToken: registration?.initialAccessToken,
      },
      adapter: {
        ...options,
        clientMs: lifetimes.clientSeconds * 1000,
        onReuse: (kind, clientId) => {
          metrics.tokenReused(kind === "RefreshToken" ? "refresh_token" : "code");
          log.warn({ kind, clientId }, "used again, its grant is revoked");
        },
      },
    });
    this.engine = new Engine(provider, options.store, options.onError);
    this.browsers = new BrowserCookie(this.engine.origin.protocol === "https:");
    this.configured = new Set(options.clients.map(({ client_id: id }) => id));
    this.requests = new Rate(
      {
        all: () => limits.authorizationRequestsPerMinute,
        perClient: () => limits.authorizationRequestsPerClient,
      },
      now,
    );
    this.registrations = new Rate(
      { all: () => limits.registrationsPerMinute, perClient: () => limits.registrationsPerClient },
      now,
    );
    this.endpoints = new Map<string, Endpoint>([
      [METADATA_PATH, shared("metadata", ["GET", "HEAD"], (exchange) => this.sendMetadata(exchange))],
      ["/token", shared("token", ["POST"], (exchange) => this.token(exchange))],
      ["/revoke", shared("revoke", ["POST"], (exchange) => this.revoke(exchange))],
      ["/register", shared("register", ["POST"], (exchange) => this.register(exchange))],
      ["/authorize", own("authorize", ["GET", "POST"], (exchange) => this.authorize(exchange))],
    ]);
  }

  serve(exchange: HttpExchange): boolean {
    const endpoint = this.find(exchange.path);
    if (endpoint === undefined) return false;
    this.run(endpoint, exchange).catch((error: unknown) => {
      this.options.onError(error);
      exchange.fail();
    });
    return true;
  }

  isShared(path: string, method: string | undefined): boolean {
    const endpoint = this.find(path);
    return endpoint !== undefined && (endpoint.isShared || method === "GET" || endpoint.name === "authorize");
  }

  private find(path: string): Endpoint | undefined {
    const endpoint = this.endpoints.get(path);
    if (endpoint !== undefined) return endpoint;
    if (path === RESOURCE_METADATA_PATH || path.startsWith(`${RESOURCE_METADATA_PATH}/`)) {
      return this.ofResource;
    }
    if (path.startsWith("/.well-known/")) return this.ofNothing;
    if (path.startsWith(`${INTERACTION_PATH}/`)) return this.ofFlows;
    return /^\/authorize\/[\w-]{21,128}$/.test(path) ? this.ofResumption : undefined;
  }

  private readonly ofResource = shared("metadata", ["GET", "HEAD"], (exchange) => {
    const metadata = resourceMetadata(
      exchange.path.slice(RESOURCE_METADATA_PATH.length),
      this.metadataOptions,
    );
    if (metadata === undefined) throw new OAuthError(404, "invalid_target", "there is no such resource");
    sendJson(exchange, 200, metadata);
    return Promise.resolve(undefined);
  });

  /**
   * Responds with 404 to requests for metadata that does not exist. Clients use their built-in defaults only
   * after a 404.
   */
  private readonly ofNothing = shared("metadata", ["GET", "HEAD"], () => {
    throw new OAuthError(404, "not_found", "there is no such metadata");
  });

  private readonly ofFlows = own("sign-in", ["GET", "HEAD", "POST"], async (exchange) => {
    const { interactions, scopes } = this.options;
    if (interactions === undefined) throw new OAuthError(404, "invalid_request", "nobody can sign in here");
    return await serveFlow(exchange, {
      engine: this.engine,
      interactions,
      scopes,
      configured: this.configured,
      browsers: this.browsers,
      bodyIdleTimeoutMs: this.options.limits.bodyIdleTimeoutMs,
    });
  });

  private readonly ofResumption = own("sign-in", ["GET"], (exchange) => {
    const browser = this.browsers.find(exchange.request);
    return this.forward(exchange, { method: "GET", url: exchange.path, body: "" }, { browser });
  });

  private async run(endpoint: Endpoint, exchange: HttpExchange): Promise<void> {
    if (endpoint.isShared && shareWithPages(exchange, endpoint.methods)) return;
    let outcome: string;
    try {
      this.check(endpoint, exchange);
      outcome = (await endpoint.handle(exchange)) ?? "ok";
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      outcome = error.error;
      if (endpoint.isShared) {
        sendJson(exchange, error.status, error.body, error.headers);
      } else {
        sendErrorPage(exchange, error.status, error.error, error.message, error.headers);
      }
    }
    this.report(endpoint.name, knownOutcome(outcome), exchange.client);
  }

  /**
   * Logs and counts a request to an endpoint.
   *
   * @param outcome `ok`, the error of the response, or `other` for an error that no specification defines
   */
  private report(endpoint: EndpointName, outcome: string, client: string): void {
    this.options.metrics.authorized(endpoint, outcome);
    if (endpoint !== "metadata") this.options.log.info({ endpoint, outcome, client }, "authorization");
  }

  /** Performs the checks that all endpoints share. */
  private check(endpoint: Endpoint, { request, clientKey, path }: HttpExchange): void {
    if (isTwice(request.rawHeaders)) {
      throw new OAuthError(400, "invalid_request", "there must be one Authorization header");
    }
    if (!endpoint.methods.includes(request.method ?? "")) {
      const methods = endpoint.methods.join(", ");
      throw new OAuthError(405, "invalid_request", `${path} takes ${methods}`, { allow: methods });
    }
    if (endpoint.name === "metadata") return;
    this.takeTurn(
      this.requests,
      clientKey,
      "authorizationRequestsPerMinute",
      "authorizationRequestsPerClient",
    );
    if (endpoint.name === "register") {
      this.takeTurn(this.registrations, clientKey, "registrationsPerMinute", "registrationsPerClient");
    }
  }

  private takeTurn(
    rate: Rate,
    clientKey: string,
    all: keyof AuthorizationLimits,
    perClient: keyof AuthorizationLimits,
  ): void {
    const excess = rate.take(clientKey);
    if (excess === undefined) return;
    const limit = excess.by === "all" ? all : perClient;
    this.options.onLimit(limit);
    const text = `there may be ${this.options.limits[limit]} such requests a minute, the limit ${limit}; try again later`;
    throw new OAuthError(429, "too_many_requests", text, { "retry-after": String(excess.seconds) });
  }

  private async sendMetadata(exchange: HttpExchange): Promise<undefined> {
    this.metadata ??= await this.readMetadata();
    sendJson(exchange, 200, this.metadata);
  }

  private async readMetadata(): Promise<string> {
    const { body } = await this.engine.handle({ method: "GET", url: METADATA_PATH, headers: {}, body: "" });
    const engines: unknown = JSON.parse(body.toString());
    return JSON.stringify(serverMetadata({ ...Object(engines) }, this.metadataOptions));
  }

  private get metadataOptions() {
    return { ...this.options, hasInteractions: this.options.interactions !== undefined };
  }

  private async authorize(exchange: HttpExchange): Promise<string | undefined> {
    const { request, query } = exchange;
    if (this.options.interactions === undefined) {
      throw new OAuthError(400, "unauthorized_client", "nobody can sign in here; clients act for themselves");
    }
    if (request.method === "POST") {
      return redirectForm(exchange, await readForm(exchange, this.authorizeLimits));
    }
    const form = new URLSearchParams(query);
    settleResource(form, this.options);
    for (const name of OF_OPENID) form.delete(name);
    // the engine supports further modes, which need pages with scripts or expose codes to scripts
    if (!["query", ""].includes(form.get("response_mode") ?? "")) form.set("response_mode", "unsupported");
    const whole = { method: "GET", url: `/authorize?${form}`, body: "" };
    return this.forward(exchange, whole, {
      isTrusted: this.configured.has(form.get("client_id") ?? ""),
      browser: this.browsers.find(request) ?? this.browsers.create(),
    });
  }

  private async token(exchange: HttpExchange): Promise<string | undefined> {
    const form = await readForm(exchange, this.bodyLimits);
    const done = (outcome = "ok") =>
      this.options.metrics.tokenGranted(form.get("grant_type") ?? "", knownOutcome(outcome));
    try {
      settleResource(form, this.options);
      await this.settleRedirectUri(form);
      const error = await this.forwardForm(exchange, "/token", form);
      done(error);
      return error;
    } catch (error) {
      done(error instanceof OAuthError ? error.error : "server_error");
      throw error;
    }
  }

  /**
   * Adds the redirect URI. OAuth 2.1 clients need not repeat the redirect URI (section 4.1.3), but the engine
   * requires it.
   */
  private async settleRedirectUri(form: URLSearchParams): Promise<void> {
    const [code, ...others] = form.getAll("code");
    if (code === undefined || others.length > 0 || form.has("redirect_uri")) return;
    const entry = await this.engine.guarded(() => this.options.store.get(CODE_KIND, hashOf(code)));
    const uri = entry && redirectUriOf(entry);
    if (uri !== undefined) form.set("redirect_uri", uri);
  }

  private async revoke(exchange: HttpExchange): Promise<string | undefined> {
    const form = await readForm(exchange, this.bodyLimits);
    const error = await this.forwardForm(exchange, "/revoke", form);
    this.options.onRevoked(form.get("token") ?? "");
    return error;
  }

  private async register(exchange: HttpExchange): Promise<string | undefined> {
    const { request } = exchange;
    const { registration } = this.options;
    if (registration === undefined) {
      throw new OAuthError(
        404,
        "invalid_request",
        "clients cannot register here; ask the operator for a client id",
      );
    }
    if (!isType(request, "application/json")) {
      throw new OAuthError(
        400,
        "invalid_client_metadata",
        "the body must be application/json (RFC 7591 section 3.1)",
      );
    }
    const text = await readText(exchange, this.bodyLimits);
    const metadata = checkRegistration(text, registration, this.options.publicUrl);
    const whole = { method: "POST", url: "/register", body: JSON.stringify(metadata), type: JSON_TYPE };
    return this.forward(exchange, whole, {
      change: (body) => {
        return Buffer.from(JSON.stringify(registrationResponse(Object(JSON.parse(body.toString())))));
      },
    });
  }

  private get authorizeLimits(): BodyLimits {
    return { ...this.bodyLimits, maxBytes: MAX_AUTHORIZATION_BYTES };
  }

  private get bodyLimits(): BodyLimits {
    return { maxBytes: MAX_BODY_BYTES, idleTimeoutMs: this.options.limits.bodyIdleTimeoutMs };
  }

  private forwardForm(exchange: HttpExchange, url: string, form: URLSearchParams) {
    return this.forward(exchange, { method: "POST", url, body: String(form), type: FORM });
  }

  /** Passes a request to the engine. Resolves to the error in the response. */
  private async forward(
    exchange: HttpExchange,
    { type, ...whole }: Omit<WholeRequest, "headers"> & { readonly type?: string },
    { change, isTrusted = true, browser }: ForwardOptions = {},
  ): Promise<string | undefined> {
    const { authorization, cookie } = exchange.request.headers;
    const result = await this.engine.handle(
      {
        ...whole,
        headers: {
          accept: "application/json",
          ...(type === undefined ? {} : { "content-type": type }),
          ...(authorization === undefined ? {} : { authorization }),
          ...(cookie === undefined ? {} : { cookie }),
        },
      },
      { browser: browser?.id },
    );
    const settled =
      change === undefined || result.status >= 400 ? result : { ...result, body: change(result.body) };
    const { location } = settled.headers;
    if (!isTrusted && typeof location === "string") {
      const address = new URL(location, this.options.publicUrl);
      const isHere = address.origin === this.options.publicUrl || isLoopbackAddress(address.href);
      if (!isHere) return sendOnwardPage(exchange, address);
    }
    const { publicUrl } = this.options;
    const isHttps = this.engine.origin.protocol === "https:";
    return sendEngineResponse(exchange, settled, {
      publicUrl,
      isHttps,
      isPage: whole.method === "GET",
      browser,
    });
  }
}

interface ForwardOptions {
  /** Transforms the body of a successful response. */
  readonly change?: (body: Buffer) => Buffer;
  /**
   * Whether a browser may be redirected to the client before the person has signed in (RFC 9700 section
   * 4.11.2). Default: true.
   */
  readonly isTrusted?: boolean;
  /** The browser in which a flow begins or continues. */
  readonly browser?: Browser | undefined;
}

/** The name that the engine uses for codes. */
const CODE_KIND = "AuthorizationCode";

const FORM = "application/x-www-form-urlencoded";
/**
 * Makes the browser send a form again, as a query. When a form comes from another site, the browser sends no
 * cookies (`SameSite=Lax`), and would look like a browser that has not begun a flow.
 */
function redirectForm(exchange: HttpExchange, form: URLSearchParams): undefined {
  if (String(form).length > MAX_AUTHORIZATION_BYTES) {
    const text = `an authorization request may have ${MAX_AUTHORIZATION_BYTES} bytes`;
    throw new OAuthError(413, "invalid_request", text);
  }
  redirect(exchange, `/authorize?${form}`);
}

function shared(name: EndpointName, methods: readonly string[], handle: Endpoint["handle"]): Endpoint {
  return { name, methods, isShared: true, handle };
}

function own(name: EndpointName, methods: readonly string[], handle: Endpoint["handle"]): Endpoint {
  return { name, methods, isShared: false, handle };
}
