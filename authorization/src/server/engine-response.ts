import { type HttpExchange, SAFE } from "../host.ts";
import type { Browser } from "./browser-cookie.ts";
import { returnCookie } from "./flows.ts";
import { JSON_TYPE } from "./json-response.ts";
import type { WholeResponse } from "./memory-exchange.ts";
import { answerIn, OAuthError } from "./oauth-error.ts";

/** The recipient of a response from the engine. */
export interface ResponseTarget {
  readonly publicUrl: string;
  readonly isHttps: boolean;
  /** Whether a browser shows the response to a person. */
  readonly isPage: boolean;
  /** The browser in which a flow begins or continues. */
  readonly browser: Browser | undefined;
}

/**
 * Sends the engine's response. Returns the error in the response.
 *
 * @throws OAuthError for an error that is shown on a page
 */
export function sendEngineResponse(
  exchange: HttpExchange,
  { status, headers, body }: WholeResponse,
  { publicUrl, isHttps, isPage, browser }: ResponseTarget,
): string | undefined {
  const { location } = headers;
  if (typeof location === "string") {
    const to = location.startsWith(`${publicUrl}/`) ? location.slice(publicUrl.length) : location;
    const back = returnCookie(to, isHttps);
    const begun = back === undefined || browser === undefined ? [] : [back, browser.cookie];
    const cookies = [...cookiesOf(headers["set-cookie"]), ...begun];
    const set = cookies.length === 0 ? {} : { "set-cookie": cookies };
    exchange.send(status, { location: to, ...set, ...SAFE });
    return answerIn(new URL(location, publicUrl)).get("error") ?? undefined;
  }
  const error = status >= 400 ? errorOf(status, body) : undefined;
  // people who open a page get an error page, not JSON
  if (error !== undefined && isPage) throw error;
  const challenge = headers["www-authenticate"];
  const sent = error?.error === "unauthorized_client" ? Buffer.from(JSON.stringify(error.body)) : body;
  exchange.send(
    status,
    {
      ...(sent.length === 0 ? {} : { "content-type": JSON_TYPE }),
      "content-length": String(sent.length),
      ...(challenge === undefined ? {} : { "www-authenticate": String(challenge) }),
      ...SAFE,
      pragma: "no-cache",
    },
    sent,
  );
  return error?.error;
}

/** Returns the engine's cookies, except its session cookie, since the session is not stored. */
function cookiesOf(header: number | string | readonly string[] | undefined): string[] {
  const cookies = Array.isArray(header) ? header : typeof header === "string" ? [header] : [];
  return cookies.filter((cookie: string) => !cookie.startsWith("connect_rest_session"));
}

/**
 * Matches the engine's error for a grant type that a client may not use. The engine reports
 * `invalid_request`, but clients expect the error of RFC 6749 section 5.2.
 */
const NOT_ALLOWED = /^requested grant type is not allowed/;

function errorOf(status: number, body: Buffer): OAuthError {
  const parsed: unknown = JSON.parse(body.toString());
  const { error = "server_error", error_description: text = "" } = Object(parsed) as Record<string, unknown>;
  const name = NOT_ALLOWED.test(String(text)) ? "unauthorized_client" : String(error);
  return new OAuthError(status, name, String(text));
}
