import { findProtocol, type Protocol, verify } from "../auth/oauth1.ts";
import type { Call } from "../dispatch/call.ts";
import { signedRequestOf } from "../dispatch/dispatch.ts";
import { randomToken } from "../entropy.ts";
import { percentEncode } from "../http/fields.ts";
import { type HttpResponse, redirect, rejectText, text } from "../http/response.ts";
import { consentPage, loggedIn, loginOf, messagePage, sessionCookie, withQuery } from "./pages.ts";

const LIFETIME_SECONDS = 600;

interface Consumer {
  readonly key: string;
  readonly secret: string;
  readonly name: string;
  readonly callback: string;
}

interface Temporary {
  readonly token: string;
  readonly secret: string;
  readonly consumer: string;
  readonly callback: string;
  readonly expires: number;
  readonly verifier: string | null;
  readonly user: string | null;
}

const FORM = "application/x-www-form-urlencoded";

function formAnswer(values: Record<string, string>): HttpResponse {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`,
  );
  return text(pairs.join("&"), 200, FORM);
}

function protocolOf(call: Call): Protocol {
  const protocol = findProtocol(signedRequestOf(call));
  if (protocol === undefined) throw rejectText(400, "The request is not signed");
  if (typeof protocol === "string") throw rejectText(400, "The protocol parameters are malformed");
  for (const name of ["oauth_consumer_key", "oauth_signature_method", "oauth_timestamp", "oauth_nonce"]) {
    if (!protocol.values.get(name)) throw rejectText(400, `Missing parameter: ${name}`);
  }
  if (protocol.values.get("oauth_signature_method") !== "HMAC-SHA1") {
    throw rejectText(400, "The signature method is not HMAC-SHA1");
  }
  return protocol;
}

function consumerOf(call: Call, protocol: Protocol): Consumer {
  const key = protocol.values.get("oauth_consumer_key") ?? "";
  const consumer = call.world.db.get<Consumer>("SELECT * FROM consumers WHERE key = ?", key);
  if (!consumer) throw rejectText(401, "Unknown consumer key");
  return consumer;
}

function verified(call: Call, protocol: Protocol, consumer: Consumer, tokenSecret: string): void {
  const failure = verify(call.world, signedRequestOf(call), protocol, {
    consumer: consumer.secret,
    token: tokenSecret,
  });
  if (failure !== undefined) {
    throw rejectText(failure === "malformed" ? 400 : 401, `The request does not verify: ${failure}`);
  }
}

/** Returns a protocol parameter from the header, the query or the body. */
function parameter(call: Call, protocol: Protocol, name: string): string | undefined {
  return protocol.values.get(name) ?? call.query.text(name) ?? call.body.fields.text(name);
}

/** Handles POST or GET /oauth/request_token (RFC 5849 section 2.1). */
export function requestToken(call: Call): HttpResponse {
  const protocol = protocolOf(call);
  const consumer = consumerOf(call, protocol);
  verified(call, protocol, consumer, "");
  const callback = parameter(call, protocol, "oauth_callback") || consumer.callback;
  if (callback !== "oob" && !/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(callback)) {
    throw rejectText(400, "Invalid oauth_callback");
  }
  const token = randomToken(50);
  const secret = randomToken(50);
  const expires = call.world.clock.seconds() + LIFETIME_SECONDS;
  call.world.db.insert("oauth1_requests", { token, secret, consumer: consumer.key, callback, expires });
  return formAnswer({ oauth_token: token, oauth_token_secret: secret, oauth_callback_confirmed: "true" });
}

function temporary(call: Call, token: string | undefined): Temporary {
  if (!token) throw rejectText(400, "Missing parameter: oauth_token");
  const row = call.world.db.get<Temporary>("SELECT * FROM oauth1_requests WHERE token = ?", token);
  if (!row || row.expires <= call.world.clock.seconds()) {
    throw rejectText(401, "Unknown or expired oauth_token");
  }
  return row;
}

function grant(call: Call, row: Temporary, user: string, source: string | undefined): HttpResponse {
  const verifier = randomToken(40);
  call.world.db.run(
    "UPDATE oauth1_requests SET verifier = ?, user = ? WHERE token = ?",
    verifier,
    user,
    row.token,
  );
  if (row.callback === "oob") return messagePage("Allowed", `The verifier is ${verifier}`);
  const address = withQuery(row.callback, { oauth_token: row.token, oauth_verifier: verifier, source });
  return redirect(call.world.rules.callbackFragment ? `${address}#_=_` : address);
}

/** Handles GET /oauth/authorize. Asks the user (RFC 5849 section 2.2). */
export function authorize(call: Call): HttpResponse {
  const row = temporary(call, call.query.text("oauth_token"));
  const source = call.query.text("source");
  const { authorizeAs } = call.world.rules;
  if (authorizeAs !== undefined) return grant(call, row, authorizeAs, source);
  const app = call.world.db.get<Consumer>("SELECT * FROM consumers WHERE key = ?", row.consumer);
  const values = { oauth_token: row.token, ...(source === undefined ? {} : { source }) };
  return consentPage(app?.name ?? "", loggedIn(call), "/oauth/authorize", values);
}

/**
 * Handles POST /oauth/authorize, the form on the page. Redirects to the callback: with a verifier if the user
 * allows access, otherwise without parameters.
 */
export function decide(call: Call): HttpResponse {
  const row = temporary(call, call.body.fields.text("oauth_token"));
  if (call.body.fields.text("decision") !== "allow") {
    call.world.db.run("DELETE FROM oauth1_requests WHERE token = ?", row.token);
    return row.callback === "oob" ? messagePage("Denied", "Nothing was allowed") : redirect(row.callback);
  }
  const user = loginOf(call) ?? loggedIn(call);
  if (user === undefined) return messagePage("Not logged in", "Name or password is wrong", 401);
  const response = grant(call, row, user, call.body.fields.text("source"));
  return { ...response, headers: { ...response.headers, ...sessionCookie(user) } };
}

/** Handles GET or POST /oauth/access_token (RFC 5849 section 2.3). */
export function accessToken(call: Call): HttpResponse {
  const { db } = call.world;
  const protocol = protocolOf(call);
  const consumer = consumerOf(call, protocol);
  const row = temporary(call, protocol.values.get("oauth_token"));
  if (row.consumer !== consumer.key) throw rejectText(401, "The token is another consumer's");
  verified(call, protocol, consumer, row.secret);
  const verifier = parameter(call, protocol, "oauth_verifier");
  if (!verifier) throw rejectText(400, "Missing parameter: oauth_verifier");
  if (row.verifier !== verifier || row.user === null) throw rejectText(401, "oauth_verifier does not fit");
  db.run("DELETE FROM oauth1_requests WHERE token = ?", row.token);
  const token = randomToken(50);
  const secret = randomToken(50);
  db.insert("oauth1_tokens", { token, secret, consumer: consumer.key, user: row.user });
  return formAnswer({ oauth_token: token, oauth_token_secret: secret });
}
