import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectError } from "@connectrpc/connect";
import { Secret, type UpstreamOptions } from "connect-rest-runtime";
import { ErrorInfoSchema } from "connect-rest-runtime/internal";
import type { HttpExchange } from "../host.ts";
import type { Flow, FlowClient, FlowError, FlowResult } from "../interaction.ts";
import {
  type CreateSignInOptions,
  createSignIn,
  type ProviderSettings,
  type SignInParts,
  type SignInSettings,
} from "../sign-in/create-sign-in.ts";
import type { CallMethod } from "../sign-in/probe.ts";
import { SqliteStore } from "../store/sqlite-store.ts";
import type { Store } from "../store/store.ts";
import type { OAuth1TestProvider, OAuth2TestProvider } from "./provider-server.ts";

/** The end of a flow. */
export type Ending = FlowResult | { readonly error: FlowError; readonly description: string };

/** A flow in a test, with its result. */
export interface TestFlow {
  readonly flow: Flow;
  readonly ended: Promise<Ending>;
}

/** A sign-in with a server that replaces the authorization server. Its flows need no cookies. */
export interface SignInWorld extends SignInParts {
  readonly url: string;
  readonly store: Store;
  /** The lines of the log. */
  readonly lines: string[];
  /** The outcomes of requests; `ok` for successful requests. */
  readonly outcomes: readonly string[];
  /** The events reported to metrics. */
  readonly reports: readonly string[];
  start(client?: Partial<FlowClient>, scopes?: readonly string[], asksConsent?: boolean): TestFlow;
  stop(): Promise<void>;
}

export interface SignInWorldOptions {
  readonly providers: readonly ProviderSettings[];
  readonly settings?: Partial<SignInSettings>;
  readonly store?: Store;
  readonly call?: CallMethod;
  readonly upstreams?: Readonly<Record<string, UpstreamOptions>>;
  readonly now?: () => number;
  readonly bodyIdleTimeoutMs?: number;
  /** Reports whether ending the flow fails, as it does if the store is unavailable. */
  readonly failing?: () => boolean;
}

/** Creates a key for tests. */
export function newKey(): Secret {
  return new Secret(randomBytes(32).toString("base64"));
}

/** Returns the settings for a simulated provider. The provider's endpoint `/me` returns the person. */
export function providerSettings(
  name: string,
  provider: OAuth2TestProvider | OAuth1TestProvider,
  more: Partial<ProviderSettings> = {},
): ProviderSettings {
  const { settings } = provider;
  return {
    name,
    title: `The ${name}`,
    required: true,
    server: "tokenEndpoint" in settings ? { kind: "oauth2", settings } : { kind: "oauth1", settings },
    identity: { probe: { url: `${provider.url}/me` }, field: "user.name" },
    ...more,
  };
}

/** Returns the default settings, with a new key. */
export function signInSettings(
  providers: readonly ProviderSettings[],
  more: Partial<SignInSettings> = {},
): SignInSettings {
  return {
    keys: [newKey()],
    idleMs: 36_000_000,
    sessionMs: 360_000_000,
    consentMs: 0,
    providers,
    permissions: { read: "do read" },
    ...more,
  };
}

/** Returns a host that keeps its log lines and its metrics events. */
function keepingHost(lines: string[], reports: string[]): CreateSignInOptions["host"] {
  const write = (fields: object, text: string) => lines.push(JSON.stringify({ ...fields, text }));
  return {
    log: { info: write, warn: write, error: write },
    metrics: {
      authorized: () => undefined,
      tokenGranted: () => undefined,
      tokenReused: () => undefined,
      tokenChecked: () => undefined,
      signedIn: (...report) => reports.push(["sign-in", ...report].join(" ")),
      sessionRefreshed: (...report) => reports.push(["refresh", ...report].join(" ")),
      sessionEnded: (...report) => reports.push(["end", ...report].join(" ")),
    },
    error: (reason, text, code, cause) => {
      const details = [{ desc: ErrorInfoSchema, value: { reason, domain: "connect-rest" } }];
      return new ConnectError(text, code, undefined, details, cause);
    },
  };
}

/** Wraps a Node request, without the checks of a listener. */
function exchangeOf(request: IncomingMessage, response: ServerResponse): HttpExchange {
  const { pathname, search } = new URL(request.url ?? "", "http://gateway.invalid");
  return {
    request,
    body: request,
    path: pathname,
    query: search.slice(1),
    client: "127.0.0.1",
    clientKey: "127.0.0.1",
    setHeader: (name, value) => response.setHeader(name, value),
    send: (status, headers, body) => {
      if (!response.destroyed) response.writeHead(status, headers).end(body);
    },
    fail: () => response.destroy(),
  };
}

/** Starts sign-in for tests. */
export async function startSignIn(options: SignInWorldOptions): Promise<SignInWorld> {
  const flows = new Map<string, Flow>();
  const lines: string[] = [];
  const outcomes: string[] = [];
  const reports: string[] = [];
  const store = options.store ?? new SqliteStore({ file: ":memory:", now: options.now });
  const parts = createSignIn({
    settings: signInSettings(options.providers, options.settings),
    store,
    upstreams: options.upstreams ?? {},
    call: options.call ?? (() => Promise.reject(new Error("no methods here"))),
    host: keepingHost(lines, reports),
    now: options.now,
  });
  const server = createServer((request, response) => {
    const requested = new URL(request.url ?? "", "http://gateway.invalid");
    const state = requested.searchParams.get("state") ?? "";
    if (requested.pathname === "/authorize/return") {
      const flow = flows.get(state.split("~")[0] ?? "");
      const location = flow === undefined ? undefined : `${flow.path}/return${requested.search}`;
      response
        .writeHead(location === undefined ? 400 : 303, location === undefined ? {} : { location })
        .end();
      return;
    }
    const flow = flows.get(requested.pathname.split("/")[3] ?? "");
    current = response;
    if (flow === undefined) {
      response.writeHead(404).end();
    } else {
      parts.interactions.serve(exchangeOf(request, response), flow).then(
        (outcome = "ok") => outcomes.push(outcome),
        (error: unknown) => {
          lines.push(`failed ${String(error)}`);
          response.writeHead(500).end(String(error));
        },
      );
    }
  });
  let current: ServerResponse | undefined;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client: FlowClient = {
    id: "client-1",
    name: "Editor",
    isRegistered: false,
    redirectHost: "app.example",
  };
  return {
    ...parts,
    url,
    store,
    lines,
    outcomes,
    reports,
    start: (more = {}, scopes = ["read"], asksConsent = false) => {
      const { promise: ended, resolve } = Promise.withResolvers<Ending>();
      const end = (ending: Ending) => {
        if (options.failing?.() === true) return Promise.reject(new Error("the store is gone"));
        resolve(ending);
        const host = more.redirectHost ?? client.redirectHost;
        const origin = /^(?:localhost|127)/.test(host) ? `http://${host}` : `https://${host}`;
        current?.writeHead(303, { location: `${origin}/back` }).end();
        return Promise.resolve();
      };
      const id = randomBytes(16).toString("hex");
      const flow: Flow = {
        id,
        path: `/authorize/i/${id}`,
        returnUrl: `${url}/authorize/return`,
        returnState: `${id}~`,
        expiresAt: (options.now ?? Date.now)() + 600_000,
        bodyIdleTimeoutMs: options.bodyIdleTimeoutMs ?? 30_000,
        client: { ...client, ...more },
        scopes,
        asksConsent,
        resource: undefined,
        finish: end,
        fail: (error, description) => end({ error, description }),
      };
      flows.set(id, flow);
      return { flow, ended };
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await parts.close();
      if (options.store === undefined) await store.close();
    },
  };
}

/** The page that a person's browser shows. */
export interface Shown {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Follows redirects as a browser does. Stops at the client, at `/back`. */
export async function browse(address: string, init: RequestInit = {}): Promise<Shown> {
  let url = address;
  let request: RequestInit = init;
  for (let count = 0; count < 20; count++) {
    const response = await fetch(url, { ...request, redirect: "manual" });
    const text = await response.text();
    const location = response.headers.get("location");
    const next = location === null ? undefined : new URL(location, url);
    if (next === undefined) return { url, status: response.status, headers: response.headers, text };
    url = next.href;
    if (next.pathname === "/back") return { url, status: 0, headers: response.headers, text: "" };
    request = {};
  }
  throw new Error("too many redirects");
}

/** Submits the form of a page with a decision. */
export function decide({ url, text }: Shown, decision: string, more: RequestInit = {}): Promise<Shown> {
  const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1] ?? "";
  const proof = /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const body = new URLSearchParams({ proof, decision });
  return browse(new URL(action, url).href, { method: "POST", body, ...more });
}
