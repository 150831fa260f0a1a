import { invalidOption } from "../errors/check-option.ts";
import { Secret } from "../text/secret.ts";
import { ENDPOINT_EXPECTED, problemOfEndpoint } from "../token-endpoint/endpoint-url.ts";
import type { BasicCredentials, FixedCredentials } from "./credentials.ts";
import type { OAuth2Grant } from "./oauth2-grant.ts";

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Describes why a secret cannot be sent, without revealing it. Returns undefined if it can be sent. */
export function problemOfSecret(secret: Secret): string | undefined {
  const text = secret.reveal();
  if (typeof text !== "string") return typeof text;
  if (text === "") return "an empty string";
  if (/[\r\n]/.test(text)) return "a line break";
  if (text !== text.trim()) return "white space around it";
  return PRINTABLE_ASCII.test(text) ? undefined : "a control character, or one that is not ASCII";
}

/**
 * Describes why a user name and a password cannot be sent, without revealing them. Returns undefined if they
 * can be sent.
 */
export function problemOfBasic(username: Secret, password: Secret): string | undefined {
  const texts = [username.reveal(), password.reveal()];
  // any other character is allowed, since both strings are sent as base64 (RFC 7617 section 2)
  if (texts.some((text) => typeof text !== "string")) return "no text";
  if (texts.some((text) => /\p{Cc}/u.test(text))) return "a control character, e.g. a line break";
  if (texts.every((text) => text === "")) return "an empty user without a password";
  return username.reveal().includes(":") ? "a colon in the user's name" : undefined;
}

/**
 * Checks the fixed credentials of an upstream when it is created.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID; the text never contains the secret
 */
export function checkCredentials(upstream: string, credentials: FixedCredentials): void {
  const { apiKey, oauth1, oauth2, basic } = credentials;
  const check = (option: string, value: string | Secret | undefined) => {
    const problem = problemOfSecret(Secret.of(value ?? ""));
    if (problem === undefined) return;
    throw invalidOption(upstream, `credentials.${option}`, "printable ASCII on one line", problem);
  };
  if (apiKey !== undefined) check("apiKey", apiKey);
  if (oauth2 !== undefined && "tokenUrl" in oauth2) {
    checkGrant(upstream, oauth2, check);
  } else if (oauth2 !== undefined) {
    check("oauth2.accessToken", oauth2.accessToken);
  }
  if (basic !== undefined) checkBasic(upstream, basic);
  if (oauth1 === undefined) return;
  check("oauth1.consumerKey", oauth1.consumerKey);
  if (!isEmpty(oauth1.consumerSecret)) check("oauth1.consumerSecret", oauth1.consumerSecret);
  if (oauth1.token !== undefined) check("oauth1.token", oauth1.token);
  if (!isEmpty(oauth1.tokenSecret ?? "")) check("oauth1.tokenSecret", oauth1.tokenSecret);
}

function checkGrant(
  upstream: string,
  { tokenUrl, clientId, clientSecret, refreshToken, clientAuthentication, store }: OAuth2Grant,
  check: (option: string, value: string | Secret | undefined) => void,
): void {
  const problem = problemOfEndpoint(tokenUrl);
  const reject = (option: string, expected: string, got: string) =>
    invalidOption(upstream, `credentials.oauth2.${option}`, expected, got);
  if (problem !== undefined) throw reject("tokenUrl", ENDPOINT_EXPECTED, problem);
  check("oauth2.clientId", clientId);
  if (clientSecret !== undefined) check("oauth2.clientSecret", clientSecret);
  if (refreshToken !== undefined) check("oauth2.refreshToken", refreshToken);
  if (clientAuthentication !== undefined && !["basic", "body"].includes(clientAuthentication)) {
    throw reject("clientAuthentication", "basic or body", String(clientAuthentication));
  }
  if (clientSecret === undefined && refreshToken === undefined && store === undefined) {
    throw reject("clientSecret", "the client's secret, or a refresh token", "neither");
  }
}

function checkBasic(upstream: string, { username, password = "" }: BasicCredentials): void {
  const problem = problemOfBasic(Secret.of(username), Secret.of(password));
  const expected = "a username without a colon or control characters";
  if (problem !== undefined) throw invalidOption(upstream, "credentials.basic", expected, problem);
}

/** An empty secret is valid (RFC 5849 section 3.4.2), while a missing secret is a mistake. */
function isEmpty(secret: string | Secret | undefined): boolean {
  return secret !== undefined && Secret.of(secret).reveal() === "";
}
