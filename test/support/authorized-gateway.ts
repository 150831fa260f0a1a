import type { Interceptor } from "@connectrpc/connect";
import type { SignIn } from "connect-rest-authorization";
import type { Flow, FlowResult } from "../../authorization/src/interaction.ts";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import type { CallerAuthorizationOptions } from "../../gateway/src/authorization/caller-authorization.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../gateway/src/gateway.ts";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { echoRoutes } from "../../gateway/src/testing/echo.ts";
import { EchoServiceRest } from "../../gateway/src/testing/echo-rest.ts";

/** Limits for tests that make more requests than a client would. */
export const ANY_RATE = {
  registrationsPerClient: 100_000,
  registrationsPerMinute: 100_000,
  authorizationRequestsPerClient: 100_000,
  authorizationRequestsPerMinute: 100_000,
};

/** The public address of gateways in tests, as if a proxy terminated TLS. */
export const PUBLIC_URL = "https://gateway.test";

/**
 * A gateway that authorizes its callers, and a fetch function that reaches the gateway by its public address.
 */
export interface AuthorizedGateway {
  readonly gateway: Gateway;
  readonly fetch: typeof fetch;
  /** The log lines of the gateway. */
  readonly lines: readonly Record<string, unknown>[];
  close(): Promise<void>;
}

/** Returns a replacement for sign-in that decides each flow immediately, without pages. */
export function stubSignIn(
  decide: (flow: Flow) => FlowResult | undefined = approve,
  sessions: SignIn["sessions"] = { isAlive: () => Promise.resolve(true), end: () => Promise.resolve() },
): SignIn {
  return {
    sessions,
    interactions: {
      serve: async (_exchange, flow) => {
        const result = decide(flow);
        await (result === undefined ? flow.fail("access_denied", "the person said no") : flow.finish(result));
        return undefined;
      },
    },
  };
}

/** Signs in every flow as the same person, who consents to every scope. */
export function approve({ scopes }: Flow): FlowResult {
  return { subject: "demo:ada", sessionId: "session", scopes };
}

/** Returns the options that most tests use. */
export function authorizationOptions(
  options: Partial<CallerAuthorizationOptions> = {},
): CallerAuthorizationOptions {
  return {
    publicUrl: PUBLIC_URL,
    store: new SqliteStore({ file: ":memory:", now: options.now }),
    scopes: [
      { name: "echo", methods: ["echo.v1.EchoService/Echo", "echo.v1.EchoService/Repeat"] },
      { name: "talk", methods: ["echo.v1.EchoService"] },
    ],
    clients: [],
    registration: {
      initialAccessToken: undefined,
      redirectHosts: undefined,
      grants: ["authorization_code", "refresh_token", "client_credentials"],
      scopes: undefined,
    },
    lifetimes: {
      accessTokenSeconds: 3600,
      refreshTokenSeconds: 7200,
      grantSeconds: 86_400,
      clientSeconds: 86_400 * 90,
    },
    open: { health: true, reflection: false },
    signIn: stubSignIn(),
    ...options,
  };
}

/** Starts a gateway with the echo service: an adapter if an upstream is given, and otherwise handlers. */
export async function startAuthorized(
  options: Partial<CallerAuthorizationOptions> = {},
  others: Partial<GatewayOptions> = {},
): Promise<AuthorizedGateway> {
  const lines: Record<string, unknown>[] = [];
  const hasUpstream = others.upstreams !== undefined;
  const gateway = await startGateway({
    adapters: hasUpstream ? [EchoServiceRest] : [],
    upstreams: {},
    ...(hasUpstream ? {} : { routes: echoRoutes }),
    hosts: ["gateway.test", "127.0.0.1"],
    proxies: { trusted: ["127.0.0.1"] },
    limits: { drainNoticeMs: 1, registrationsPerClient: 1000, registrationsPerMinute: 10_000 },
    log: createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) }),
    authorization: authorizationOptions(options),
    ...others,
  });
  return { gateway, lines, fetch: fetchBy(gateway.url), close: () => gateway.close() };
}

/** The headers that a TLS-terminating proxy adds to each request. */
export const FORWARDED = {
  "x-forwarded-for": "203.0.113.7",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "gateway.test",
} as const;

/** Adds the proxy's headers to requests. */
export const asProxy: Interceptor = (next) => (request) => {
  for (const [name, value] of Object.entries(FORWARDED)) request.header.set(name, value);
  return next(request);
};

/**
 * Returns a fetch function that acts like the proxy: it sends requests for the public address to the gateway,
 * and follows no redirects.
 */
export function fetchBy(url: string): typeof fetch {
  return (input, init) => {
    const request = new Request(input, { ...init, redirect: "manual" });
    const address = request.url.replace(PUBLIC_URL, url);
    const headers = new Headers(request.headers);
    const forwarded = { ...FORWARDED, "x-forwarded-proto": new URL(request.url).protocol.slice(0, -1) };
    for (const [name, value] of Object.entries(forwarded)) {
      if (name !== "x-forwarded-for" || !headers.has(name)) headers.set(name, value);
    }
    const body = init?.body;
    return fetch(address, {
      method: request.method,
      headers,
      redirect: "manual",
      ...(body == null ? {} : { body }),
    });
  };
}

/** A minimal browser for flows, with cookies by path and redirects within the gateway. */
export class TestBrowser {
  private readonly fetch: typeof fetch;
  private readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();
  /** The headers of all responses. */
  readonly responses: Response[] = [];

  constructor(fetching: typeof fetch) {
    this.fetch = fetching;
  }

  /**
   * Opens an address. Resolves with the first address outside the gateway or of the console, or with the
   * page.
   */
  async open(address: string): Promise<URL | Response> {
    let url = new URL(address);
    for (let hops = 0; hops < 10; hops += 1) {
      if (url.origin !== PUBLIC_URL || url.pathname === "/") return url;
      const response = await this.fetch(url, { headers: this.headersFor(url) });
      this.responses.push(response);
      this.keep(response);
      const location = response.headers.get("location");
      if (location === null) return response;
      url = new URL(location, url);
    }
    throw new Error("too many redirects");
  }

  headersFor({ pathname }: URL): Record<string, string> {
    const sent = [...this.cookies].filter(
      ([, { path }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, "/")),
    );
    return sent.length === 0
      ? {}
      : { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join("; ") };
  }

  /**
   * Stores a cookie that another host of the domain sets, with any path, but never with the prefix `__Host-`.
   */
  toss(name: string, value: string, path: string): void {
    if (!name.startsWith("__Host-")) this.cookies.set(name, { value, path });
  }

  /** The stored cookies. */
  get kept(): ReadonlyMap<string, { readonly value: string; readonly path: string }> {
    return this.cookies;
  }

  private keep(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      const path = /; *path=([^;]*)/i.exec(cookie)?.[1] ?? "/";
      this.cookies.delete(name);
      if (value !== "") this.cookies.set(name, { value, path });
    }
  }
}
