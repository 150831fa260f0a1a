import { hashOf } from "connect-rest-runtime/internal";
import type { InteractionResults } from "oidc-provider";
import { type HttpExchange, redirect } from "../host.ts";
import {
  type Flow,
  type FlowClient,
  type FlowError,
  type FlowResult,
  INTERACTION_PATH,
  type Interactions,
} from "../interaction.ts";
import { type BrowserCookie, cookieOf } from "./browser-cookie.ts";
import type { Engine } from "./engine.ts";
import { createMemoryExchange, type MemoryExchange } from "./memory-exchange.ts";
import { OAuthError } from "./oauth-error.ts";
import { INTERACTION_SECONDS } from "./provider.ts";

export interface FlowOptions {
  readonly engine: Engine;
  readonly interactions: Interactions;
  /** All scopes that tokens may have. */
  readonly scopes: readonly string[];
  /** The ids of the configured clients. */
  readonly configured: ReadonlySet<string>;
  readonly browsers: BrowserCookie;
  readonly bodyIdleTimeoutMs: number;
}

const RETURN_PATH = `${INTERACTION_PATH}/return`;

/** The prefix of the cookies that lead a browser from the fixed return address back to its flow. */
const RETURN_COOKIE = "connect_rest_return_";

/** The form of flow IDs, as the engine generates them. */
const ID_PATTERN = /^[\w-]{21,128}$/;

/** A SHA-256 hash in base64url, followed by the part of the state that the caller chooses. */
const STATE_PATTERN = /^([\w-]{43})[\w.~-]{0,512}$/;

/** Serves requests to the paths of interactions. Resolves to the error in the response. */
export async function serveFlow(exchange: HttpExchange, options: FlowOptions): Promise<string | undefined> {
  const { path } = exchange;
  if (path === RETURN_PATH) {
    sendOn(exchange);
    return undefined;
  }
  const id = path.slice(INTERACTION_PATH.length + 1).split("/", 1)[0] ?? "";
  return await options.interactions.serve(exchange, await findFlow(id, exchange, options));
}

/** Returns the cookie that lets a browser return from an upstream at the fixed address. */
export function returnCookie(location: string, isSecure: boolean): string | undefined {
  const id = new RegExp(`^${INTERACTION_PATH}/([\\w-]+)$`).exec(location)?.[1];
  if (id === undefined) return undefined;
  const secure = isSecure ? "; secure" : "";
  return `${cookieName(hashOf(id))}=${id}; path=${RETURN_PATH}; max-age=${INTERACTION_SECONDS}; httponly; samesite=lax${secure}`;
}

/**
 * Redirects a return from an upstream to its flow. The state contains the hash of the flow ID. The ID itself
 * is in a cookie of the browser that began the flow.
 */
function sendOn(exchange: HttpExchange): void {
  const { request, query } = exchange;
  const states = new URLSearchParams(query).getAll("state");
  const hash = states.length === 1 ? STATE_PATTERN.exec(states[0] ?? "")?.[1] : undefined;
  const id = hash === undefined ? undefined : cookieOf(request, cookieName(hash));
  if (id === undefined || !ID_PATTERN.test(id) || hashOf(id) !== hash) throw expired();
  redirect(exchange, `${INTERACTION_PATH}/${id}/return?${query}`);
}

function cookieName(hash: string): string {
  return RETURN_COOKIE + hash.slice(0, 12);
}

/** Finds the flow to which a request belongs, and the flow's client. */
async function findFlow(id: string, exchange: HttpExchange, options: FlowOptions): Promise<Flow> {
  const { engine, scopes, configured, browsers, bodyIdleTimeoutMs } = options;
  const browser = browsers.find(exchange.request)?.id;
  if (!ID_PATTERN.test(id) || browser === undefined) throw expired();
  const inEngine = new FlowInEngine(engine, id, browser, exchange);
  const { interaction, metadata } = await inEngine.find();
  const { scope, resource, prompt, redirect_uri: redirectUri } = interaction.params;
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  const named = typeof resource === "string" ? resource : undefined;
  return {
    id,
    path: `${INTERACTION_PATH}/${id}`,
    returnUrl: engine.origin.origin + RETURN_PATH,
    returnState: hashOf(id),
    expiresAt: (interaction.exp ?? 0) * 1000,
    bodyIdleTimeoutMs,
    client: clientOf(metadata, String(redirectUri), configured),
    scopes: asked.filter((each) => scopes.includes(each)),
    asksConsent: typeof prompt === "string" && prompt.split(" ").includes("consent"),
    resource: named,
    finish: (result) => inEngine.finish(result, metadata.client_id, asked, named),
    fail: (error, description) => inEngine.fail(error, description),
  };
}

/** A flow of the engine, bound to one browser. */
class FlowInEngine {
  private readonly engine: Engine;
  private readonly id: string;
  private readonly browser: string;
  private readonly exchange: HttpExchange;
  private readonly inMemory: MemoryExchange;

  constructor(engine: Engine, id: string, browser: string, exchange: HttpExchange) {
    this.engine = engine;
    this.id = id;
    this.browser = browser;
    this.exchange = exchange;
    const headers = { cookie: exchange.request.headers.cookie ?? "" };
    const request = { method: "GET", url: `${INTERACTION_PATH}/${id}`, headers, body: "" };
    this.inMemory = createMemoryExchange(request, engine.origin);
  }

  /** @throws OAuthError if the flow does not exist */
  find() {
    const { provider } = this.engine;
    const { request, response } = this.inMemory;
    const find = async () => {
      const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
        if (error instanceof Error && error.name === "SessionNotFound") throw expired();
        throw error;
      });
      const client = await provider.Client.find(String(interaction.params.client_id));
      if (interaction.uid !== this.id || client === undefined) throw expired();
      return { interaction, metadata: client.metadata() };
    };
    return this.engine.guarded(find, { browser: this.browser });
  }

  async finish(
    result: FlowResult,
    clientId: string,
    asked: readonly string[],
    resource: string | undefined,
  ): Promise<void> {
    const granted = result.scopes.filter((each) => asked.includes(each));
    if (granted.length === 0 && asked.length > 0) {
      await this.fail("access_denied", "no scope was granted");
      return;
    }
    await this.settle(() => this.grant(result, clientId, granted, resource), result.sessionId);
  }

  async fail(error: FlowError, description: string): Promise<void> {
    await this.settle(() => Promise.resolve({ error, error_description: description }));
  }

  private async grant(
    { subject }: FlowResult,
    clientId: string,
    granted: readonly string[],
    resource: string | undefined,
  ) {
    const { provider } = this.engine;
    const grant = new provider.Grant({ accountId: subject, clientId });
    grant.addResourceScope(resource ?? provider.issuer, granted.join(" "));
    const grantId = await grant.save();
    // the engine reads this result for each prompt of the request
    return { login: { accountId: subject, remember: false }, consent: { grantId }, select_account: {} };
  }

  /**
   * Stores the result of the flow, and redirects the browser to the engine, which redirects it to the client.
   */
  private async settle(work: () => Promise<InteractionResults>, session?: string): Promise<void> {
    const { provider } = this.engine;
    const { request, response } = this.inMemory;
    const options = { mergeWithLastSubmission: false };
    const returnTo = await this.engine.guarded(
      async () => provider.interactionResult(request, response, await work(), options),
      { browser: this.browser, session },
    );
    redirect(this.exchange, new URL(returnTo).pathname);
  }
}

interface Metadata {
  readonly client_id: string;
  readonly client_name?: string | undefined;
  readonly client_uri?: string | undefined;
}

function clientOf(metadata: Metadata, redirectUri: string, configured: ReadonlySet<string>): FlowClient {
  const { client_id: id, client_name: name, client_uri: uri } = metadata;
  return {
    id,
    name,
    uri,
    isRegistered: !configured.has(id),
    redirectHost: URL.parse(redirectUri)?.host ?? "",
  };
}

function expired(): OAuthError {
  const text = "This sign-in has expired, was begun in another browser, or is over already.";
  return new OAuthError(400, "invalid_request", text);
}
