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
    "Where temporary credentials come from (RFC 5849 section 2.1); for `upstream-login`.",
  ),
  authorizeUrl: optionalEndpoint.describe(
    "The page where a person allows the access (section 2.2); for `upstream-login`.",
  ),
  accessTokenUrl: optionalEndpoint.describe(
    "Where the token comes from in the end (section 2.3); for `upstream-login`.",
  ),
};

/** The setting `credentials.oauth1` of an upstream. */
export const oauth1Credentials = z.strictObject({
  consumerKey: secret.describe("The consumer key, which identifies the application."),
  consumerSecret: secret.describe("The consumer secret, which signs requests."),
  token: optionalSecret.describe(
    "The token of the user on whose behalf requests are made. Default: none; requests are the application's own. `connect-rest upstream-login` writes it, where it is a file.",
  ),
  tokenSecret: optionalSecret.describe("The token secret; `upstream-login` writes it as well."),
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
    accessToken: optionalSecret.describe(
      "The access token, where it is fixed. Name it, or `tokenUrl`, from which tokens are fetched.",
    ),
    application: flag(false).describe(
      "Whether the token is the application's own, and no person's. With `authorization`, clients that call for themselves (client credentials) get nothing of a person's: neither this token without `true` here, nor `oauth1.token`. Tokens that are fetched without a refresh token are the application's own anyway.",
    ),
    tokenUrl: optionalEndpoint.describe(
      "The token endpoint that access tokens are fetched from (RFC 6749): with a refresh token where there is one, else for the client itself (client credentials). They are fetched once for all calls that wait, kept, refreshed before they expire, and once when the upstream rejects them. An endpoint that fails is asked ever more seldom, up to once in 5 minutes. It is reached as the upstream is: by its proxy, and with its TLS settings where it has the origin of one of the base URLs.",
    ),
    clientId: clientId.optional().describe("The client's ID at the token endpoint: the text, or its place."),
    clientSecret: optionalSecret.describe(
      "The client's secret. Omit it for a public client, which needs only a refresh token.",
    ),
    clientAuthentication: z
      .enum(["basic", "body"])
      .optional()
      .describe(
        "How the client's ID and secret are sent to the token endpoint: as HTTP Basic, or in the body. Default: `basic`.",
      ),
    scope: optionalText.describe(
      "The scopes to ask for, separated by spaces. Default: those that the server gives by itself.",
    ),
    parameters: z
      .record(text, text)
      .optional()
      .describe("Further parameters of the requests for tokens, e.g. `audience` or `resource`."),
    refreshToken: optionalSecret.describe(
      "The refresh token of a person. What the server gives in its place is used until the process ends; where it does that, name a `tokenFile`.",
    ),
    tokenFile: optionalText.describe(
      "The file with the tokens of a person, relative to this file, which `connect-rest upstream-login` writes and the gateway keeps: a refresh token that the server replaces is not lost, and processes that share the file refresh once. Nobody else may read it (mode 0600).",
    ),
    authorizeUrl: optionalEndpoint.describe(
      "The page where a person allows the access (RFC 6749 section 3.1); for `upstream-login`.",
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
