import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A third-party authorization server, and an API that accepts its tokens. */
export interface ForeignServer {
  readonly url: string;
  /** The received requests, such as `POST /token`. */
  readonly seen: string[];
  /** The protocol version in the headers of each metadata request. */
  readonly protocolVersions: Array<string | undefined>;
  close(): Promise<void>;
}

/** Options that change the server's behavior. */
export interface ForeignOptions {
  /**
   * The path of the protected resource metadata that the server's 401 names. Default: the 401 names no
   * metadata.
   */
  readonly resourceMetadata?: string;
  readonly accessTokenSeconds?: number;
  /** The person's decision. Default: the person consents. */
  readonly person?: "consents" | "denies";
}

/** A registered client with a secret. */
export const MACHINE = { id: "machine", secret: "machine-secret-machine-secret-machine" } as const;

/** Starts `oidc-provider`, with a person who signs in immediately. */
export async function startForeignServer(options: ForeignOptions = {}): Promise<ForeignServer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seen: string[] = [];
  const protocolVersions: Array<string | undefined> = [];
  const provider = createProvider(url, options);
  const oauth = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "", url);
    seen.push(`${request.method} ${pathname}`);
    if (pathname.includes("/.well-known/")) {
      protocolVersions.push(request.headers["mcp-protocol-version"] as string | undefined);
    }
    void respond(pathname, request, response);
  });
  const respond = async (pathname: string, request: IncomingMessage, response: ServerResponse) => {
    const { resourceMetadata } = options;
    if (pathname === resourceMetadata) {
      const body = { resource: `${url}/api`, authorization_servers: [url], scopes_supported: ["read"] };
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    } else if (pathname.startsWith("/api")) {
      await api(request, response, provider, resourceMetadata && `${url}${resourceMetadata}`);
    } else if (pathname.startsWith("/interaction/")) {
      await interact(request, response, provider, options);
    } else {
      await oauth(request, response);
    }
  };
  return { url, seen, protocolVersions, close: () => closed(server) };
}

function createProvider(url: string, { accessTokenSeconds = 3600 }: ForeignOptions): Provider {
  const provider = new Provider(url, {
    clients: [
      {
        client_id: MACHINE.id,
        client_secret: MACHINE.secret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    scopes: ["offline_access", "read", "write"],
    routes: {
      authorization: "/oauth/start",
      token: "/oauth/token",
      registration: "/oauth/reg",
      revocation: "/oauth/end",
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed("refresh_token"),
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["a key of a test"] },
    ttl: { AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined as never,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: "read write",
          audience: resource,
          accessTokenFormat: "opaque",
        }),
      },
    },
  });
  // The library serves OpenID Connect metadata, whose path differs from the path of RFC 8414.
  provider.use(async (context, next) => {
    if (context.path === "/.well-known/oauth-authorization-server") {
      context.path = "/.well-known/openid-configuration";
    }
    await next();
  });
  return provider;
}

async function interact(
  request: IncomingMessage,
  response: ServerResponse,
  provider: Provider,
  { person = "consents" }: ForeignOptions,
): Promise<void> {
  if (person === "denies") {
    const denied = { error: "access_denied", error_description: "Not today" };
    await provider.interactionFinished(request, response, denied);
    return;
  }
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: "ada", clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope ?? ""));
  grant.addResourceScope(String(params.resource ?? `none`), String(params.scope ?? ""));
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId: "ada" }, consent });
}

/** Serves the API, which returns the owner of the token. */
async function api(
  { headers }: IncomingMessage,
  response: ServerResponse,
  provider: Provider,
  metadata: string | undefined,
): Promise<void> {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
  if (found === undefined) {
    const challenge = metadata === undefined ? "Bearer" : `Bearer resource_metadata="${metadata}"`;
    response.writeHead(401, { "www-authenticate": challenge }).end();
  } else {
    const account = "accountId" in found ? found.accountId : undefined;
    response.end(JSON.stringify({ account, client: found.clientId, scope: found.scope }));
  }
}

/** Closes a server and its connections. */
export async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
