import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "connect-rest-runtime";
import Provider from "oidc-provider";
import type { OAuth2ProviderSettings } from "../../authorization/src/sign-in/oauth2-provider.ts";

/** A third-party OpenID Connect server, whose only user is already signed in and has consented. */
export interface OidcProvider {
  readonly url: string;
  /** The settings with which a gateway signs people in at this server. */
  readonly settings: OAuth2ProviderSettings;
  readonly userInfo: string;
  close(): Promise<void>;
}

const CLIENT_ID = "gateway";
const CLIENT_SECRET = "oidc-provider-secret-0000000000000000001";

/**
 * Starts a server that requires PKCE, sends `iss` in responses, and issues single-use refresh tokens and ID
 * tokens.
 */
export async function startOidcProvider(redirectUri: string): Promise<OidcProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    cookies: { keys: ["a key for tests"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => Promise.resolve(true),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    ttl: {
      AccessToken: 600,
      RefreshToken: 6000,
      Grant: 6000,
      Session: 600,
      Interaction: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
  });
  const serve = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void serve(request, response);
    void provider.interactionDetails(request, response).then(async ({ params }) => {
      const grant = new provider.Grant({ accountId: "octavia", clientId: String(params.client_id) });
      grant.addOIDCScope(String(params.scope));
      const consent = { grantId: await grant.save() };
      await provider.interactionFinished(request, response, { login: { accountId: "octavia" }, consent });
    });
  });
  return {
    url,
    userInfo: `${url}/me`,
    settings: {
      authorizationEndpoint: `${url}/auth`,
      tokenEndpoint: `${url}/token`,
      revocationEndpoint: `${url}/token/revocation`,
      issuer: url,
      requireIssuer: true,
      clientId: CLIENT_ID,
      clientSecret: new Secret(CLIENT_SECRET),
      clientAuthentication: "client_secret_basic",
      scopes: ["openid", "offline_access"],
      pkce: true,
      parameters: { prompt: "consent" },
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
