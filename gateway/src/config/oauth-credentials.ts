import { z } from "zod";
import { isLoopback } from "../listener/hosts.ts";
import { flag, optionalSecret, optionalText, secret, text } from "./schema-parts.ts";

/** The URL of an endpoint that receives secrets (OAuth 2.1 section 1.5). */
const optionalEndpoint = z
  .string()
  .refine(isEndpoint, {
    error:
      "expected an https address without user and fragment (http on localhost, 127.0.0.1 and [::1] alone)",
  })
  .optional();

/** The three endpoints through which a person authorizes an application in `upstream-login`. */
const ENDPOINTS_OF_OAUTH1 = {
  requestTokenUrl: optionalEndpoint.describe(
    "The endpoint that issues temporary credentials (RFC 5849 section 2.1). Only `upstream-login` uses this setting.",
  ),
  authorizeUrl: optionalEndpoint.describe(
    "The page where a person grants access (RFC 5849 section 2.2). Only `upstream-login` uses this setting.",
  ),
  accessTokenUrl: optionalEndpoint.describe(
    "The endpoint that issues the token (RFC 5849 section 2.3). Only `upstream-login` uses this setting.",
  ),
};

/** The setting `credentials.oauth1` of an upstream. */
export const oauth1Credentials = z.strictObject({
  consumerKey: secret.describe("The consumer key, which identifies the application."),
  consumerSecret: secret.describe("The consumer secret, which signs requests."),
  token: optionalSecret.describe(
    "The token of the user for whom the gateway makes requests. `connect-rest upstream-login` writes the token if it is in a file. Default: none, so requests act for the application.",
  ),
  tokenSecret: optionalSecret.describe(
    "The secret that belongs to `token`. `upstream-login` also writes this secret.",
  ),
  ...ENDPOINTS_OF_OAUTH1,
});

const clientId = z.union([text, secret], {
  error: "expected the client's ID, or its place: { file: PATH } or { env: NAME }",
});

const NEEDS_TOKEN_URL = [
  "clientId",
  "clientSecret",
  "clientAuthentication",
  "scope",
  "parameters",
  "refreshToken",
  "tokenFile",
  "authorizeUrl",
] as const;

/** The setting `credentials.oauth2` of an upstream. */
export const oauth2Credentials = z
  .strictObject({
    accessToken: optionalSecret.describe("A fixed access token. Set either `accessToken` or `tokenUrl`."),
    application: flag(false).describe(
      "Whether the token belongs to the application and not to a person. With `authorization`, clients that call for themselves (client credentials) never use a person's token. Such clients never use `oauth1.token`, and use this token only if the setting is `true`. Tokens that are fetched without a refresh token always belong to the application.",
    ),
    tokenUrl: optionalEndpoint.describe(
      "The token endpoint (RFC 6749). The gateway fetches access tokens there with the refresh token if one is set, otherwise for the client itself (client credentials). One request serves all waiting calls. The token is cached, and refreshed before it expires and once when the upstream rejects it. While the endpoint fails, the gateway retries with increasing delays, up to 5 minutes. Requests to the endpoint use the upstream's proxy. These requests use the upstream's TLS settings if the endpoint has the same origin as one of the base URLs.",
    ),
    clientId: clientId
      .optional()
      .describe(
        "The client ID at the token endpoint: a string, or its location as `{ env: NAME }` or `{ file: PATH }`.",
      ),
    clientSecret: optionalSecret.describe(
      "The client secret. Omit the secret for a public client, which needs only a refresh token.",
    ),
    clientAuthentication: z
      .enum(["basic", "body"])
      .optional()
      .describe(
        "How the client ID and secret are sent to the token endpoint: as HTTP Basic, or in the body. Default: `basic`.",
      ),
    scope: optionalText.describe(
      "The scopes to request, separated by spaces. Default: the server chooses the scopes.",
    ),
    parameters: z
      .record(text, text)
      .optional()
      .describe("Additional parameters of token requests, e.g. `audience` or `resource`."),
    refreshToken: optionalSecret.describe(
      "The refresh token of a person. If the server replaces the refresh token, the new one is used until the process ends and then lost. For such servers, use `tokenFile`.",
    ),
    tokenFile: optionalText.describe(
      "The file with a person's tokens, relative to this file. `connect-rest upstream-login` writes the file, and the gateway updates it. A refresh token that the server replaces is therefore not lost, and processes that share the file refresh once. Only its owner may read the file (mode 0600).",
    ),
    authorizeUrl: optionalEndpoint.describe(
      "The page where a person grants access (RFC 6749 section 3.1). Only `upstream-login` uses this setting.",
    ),
  })
  .superRefine((value, context) => {
    for (const [key, message] of contradictions(value)) {
      context.addIssue({ code: "custom", message, path: key === "" ? [] : [key] });
    }
  });

type OAuth2 = Readonly<Record<string, unknown>>;

/**
 * Returns the contradictions between settings: for each, the key (empty for the whole group) and a message.
 */
function contradictions(value: OAuth2): Array<readonly [key: string, message: string]> {
  const { accessToken, tokenUrl, clientId, clientSecret, refreshToken, tokenFile } = value;
  if (tokenUrl === undefined) {
    const stray = NEEDS_TOKEN_URL.find((key) => value[key] !== undefined);
    if (stray !== undefined) return [[stray, "is for tokens that are fetched; name tokenUrl as well"]];
    return accessToken === undefined ? [["", "name accessToken, or tokenUrl"]] : [];
  }
  const found: Array<readonly [string, string]> = [];
  if (accessToken !== undefined) {
    found.push(["accessToken", "is fixed, or fetched by tokenUrl; name one of them"]);
  }
  if (clientId === undefined) found.push(["", "tokenUrl needs the client's ID (clientId)"]);
  if (refreshToken !== undefined && tokenFile !== undefined) {
    found.push(["refreshToken", "is in the tokenFile; name one of them"]);
  }
  if ([clientSecret, refreshToken, tokenFile].every((each) => each === undefined)) {
    found.push([
      "",
      "tokenUrl needs the client's secret (clientSecret), or a person's refreshToken or tokenFile",
    ]);
  }
  return found;
}

function isEndpoint(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username + url.password + url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
