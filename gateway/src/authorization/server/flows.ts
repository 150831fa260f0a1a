import type { InteractionResults } from "oidc-provider";
import { type HttpRequest, type HttpResponse, sendResponse } from "../../listener/http.ts";
import { UNCACHED } from "../../listener/refusal.ts";
import { splitTarget } from "../../listener/target.ts";
import { hashOf } from "../../store/hash.ts";
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
import { createMemoryExchange } from "./memory-exchange.ts";
import { OAuthError } from "./oauth-error.ts";
import { INTERACTION_SECONDS } from "./provider.ts";

export interface FlowOptions {
  readonly engine: Engine;
  readonly interactions: Interactions;
  /** All scopes that there are. */
  readonly scopes: readonly string[];
  /** The ids of clients of the configuration. */
  readonly configured: ReadonlySet<string>;
  readonly browsers: BrowserCookie;
  readonly bodyIdleTimeoutMs: number;
}

const RETURN_PATH = `${INTERACTION_PATH}/return`;

/** Begins the names of cookies that lead from the fixed return address back to a flow. */
const RETURN_COOKIE = "connect_rest_return_";

/** Ids of flows, as the engine makes them. */
const ID_PATTERN = /^[\w-]{21,128}$/;

/** SHA-256 in base64url, and what else a state may have. */
const STATE_PATTERN = /^([\w-]{43})[\w.~-]{0,512}$/;

/** Serves what is below the path of interactions. */
export async function serveFlow(
  request: HttpRequest,
  response: HttpResponse,
  options: FlowOptions,
): Promise<void> {
  const { path, query = "" } = splitTarget(request.url);
  if (path === RETURN_PATH) {
    sendOn(request, response, query);
    return;
  }
  const id = path.slice(INTERACTION_PATH.length + 1).split("/", 1)[0] ?? "";
  await options.interactions.serve(request, response, await findFlow(id, request, response, options));
}

/** The cookie that lets a browser come back from a third party by the fixed address. */
export function returnCookie(location: string, isSecure: boolean): string | undefined {
  const id = new RegExp(`^${INTERACTION_PATH}/([\\w-]+)$`).exec(location)?.[1];
  if (id === undefined) return undefined;
  const secure = isSecure ? "; secure" : "";
  return `${cookieName(hashOf(id))}=${id}; path=${RETURN_PATH}; max-age=${INTERACTION_SECONDS}; httponly; samesite=lax${secure}`;
}

/** Third parties come back with the hash of the flow's id; who has begun the flow has the id itself in a cookie. */
function sendOn(request: HttpRequest, response: HttpResponse, query: string): void {
  const states = new URLSearchParams(query).getAll("state");
  const hash = states.length === 1 ? STATE_PATTERN.exec(states[0] ?? "")?.[1] : undefined;
  const id = hash === undefined ? undefined : cookieOf(request, cookieName(hash));
  if (id === undefined || !ID_PATTERN.test(id) || hashOf(id) !== hash) throw expired();
  redirect(response, `${INTERACTION_PATH}/${id}/return?${query}`);
}

function cookieName(hash: string): string {
  return RETURN_COOKIE + hash.slice(0, 12);
}

async function findFlow(
  id: string,
  request: HttpRequest,
  response: HttpResponse,
  { engine, scopes, configured, browsers, bodyIdleTimeoutMs }: FlowOptions,
): Promise<Flow> {
  const browser = browsers.find(request)?.id;
  if (!ID_PATTERN.test(id) || browser === undefined) throw expired();
  const { provider } = engine;
  const exchange = createMemoryExchange(
    {
      method: "GET",
      url: `${INTERACTION_PATH}/${id}`,
      headers: { cookie: request.headers.cookie ?? "" },
      body: "",
    },
    engine.origin,
  );
  const details = () => provider.interactionDetails(exchange.request, exchange.response);
  const found = await engine.guarded(
    async () => {
      const interaction = await details().catch((error: unknown) => {
        if (error instanceof Error && error.name === "SessionNotFound") throw expired();
        throw error;
      });
      const { client_id: clientId, redirect_uri: redirectUri } = interaction.params;
      const client = await provider.Client.find(String(clientId));
      if (interaction.uid !== id || client === undefined) throw expired();
      return { interaction, client: clientOf(client.metadata(), String(redirectUri), configured) };
    },
    { browser },
  );
  const { interaction, client } = found;
  const { scope, resource } = interaction.params;
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  const settle = (result: InteractionResults) =>
    provider.interactionResult(exchange.request, exchange.response, result, {
      mergeWithLastSubmission: false,
    });
  const fail = async (error: FlowError, description: string) => {
    const returnTo = await engine.guarded(() => settle({ error, error_description: description }), {
      browser,
    });
    redirect(response, new URL(returnTo).pathname);
  };
  return {
    id,
    path: `${INTERACTION_PATH}/${id}`,
    returnUrl: engine.origin.origin + RETURN_PATH,
    returnState: hashOf(id),
    expiresAt: (interaction.exp ?? 0) * 1000,
    bodyIdleTimeoutMs,
    client,
    scopes: asked.filter((each) => scopes.includes(each)),
    resource: typeof resource === "string" ? resource : undefined,
    finish: async (result) => {
      const granted = result.scopes.filter((each) => asked.includes(each));
      if (granted.length === 0 && asked.length > 0) {
        await fail("access_denied", "no scope was granted");
        return;
      }
      const returnTo = await engine.guarded(() => grant(result, granted), {
        browser,
        session: result.sessionId,
      });
      redirect(response, new URL(returnTo).pathname);
    },
    fail,
  };

  async function grant({ subject }: FlowResult, granted: readonly string[]): Promise<string> {
    const given = new provider.Grant({ accountId: subject, clientId: client.id });
    given.addResourceScope(provider.issuer, granted.join(" "));
    const grantId = await given.save();
    return settle({ login: { accountId: subject, remember: false }, consent: { grantId } });
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

function redirect(response: HttpResponse, location: string): void {
  sendResponse(response, 303, { location, "referrer-policy": "no-referrer", ...UNCACHED });
}

function expired(): OAuthError {
  const text = "This sign-in has expired, was begun in another browser, or is over already.";
  return new OAuthError(400, "invalid_request", text);
}
