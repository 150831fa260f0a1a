import type { Call } from "../dispatch/call.ts";
import { randomToken } from "../entropy.ts";
import type { Fields } from "../http/fields.ts";
import { type HttpResponse, redirect } from "../http/response.ts";
import { type Client, SCOPES } from "./oauth2-tokens.ts";
import { consentPage, loggedIn, loginOf, messagePage, sessionCookie, withQuery } from "./pages.ts";

const CODE_SECONDS = 60;

/** An authorization request with a valid client and redirect address. */
interface Request {
  readonly client: Client;
  /** The address to which the user is redirected. */
  readonly address: string;
  /** The `redirect_uri` as it was sent. The token request must contain the same value. */
  readonly sent: string | undefined;
  readonly fields: Fields;
}

/**
 * Returns the client and its redirect address. If either is invalid, returns an error page, since the error
 * cannot be sent by a redirect.
 */
function requestOf(call: Call, fields: Fields): Request | HttpResponse {
  const { db } = call.world;
  const client = db.get<Client>("SELECT * FROM consumers WHERE key = ?", fields.text("client_id") ?? "");
  if (!client) return messagePage("Unknown application", "client_id is not registered", 400);
  const registered = JSON.parse(client.redirect_uris) as string[];
  const sent = fields.text("redirect_uri") || undefined;
  const address = sent ?? (registered.length === 1 ? registered[0] : undefined);
  if (address === undefined) {
    return messagePage("Missing redirect_uri", "Several addresses are registered", 400);
  }
  if (!registered.includes(address) && !call.world.rules.redirectUris.includes(address)) {
    return messagePage("Invalid redirect_uri", "The address is not registered", 400);
  }
  return { client, address, sent, fields };
}

function failure(request: Request, error: string, description: string): HttpResponse {
  const state = request.fields.text("state");
  return redirect(withQuery(request.address, { error, error_description: description, state }));
}

function fault(request: Request): HttpResponse | undefined {
  const { fields } = request;
  for (const name of ["response_type", "scope", "state"]) {
    if (!fields.text(name)) return failure(request, "invalid_request", `Missing parameter: ${name}`);
  }
  if (fields.text("response_type") !== "code") {
    return failure(request, "unsupported_response_type", "Only code");
  }
  const unknown = fields
    .text("scope")
    ?.split(" ")
    .find((scope) => !SCOPES.includes(scope));
  return unknown === undefined ? undefined : failure(request, "invalid_scope", `Unknown scope: ${unknown}`);
}

function grant(call: Call, request: Request, user: string): HttpResponse {
  const { fields, client, sent, address } = request;
  const code = randomToken(40);
  call.world.db.insert("oauth2_codes", {
    code,
    client: client.key,
    user,
    scope: fields.text("scope") ?? "",
    redirect_uri: sent,
    expires: call.world.clock.seconds() + CODE_SECONDS,
  });
  return redirect(withQuery(address, { code, state: fields.text("state") }));
}

/** Handles GET /oauth2/authorize. Asks the user. `force_login` logs the user out first. */
export function authorize(call: Call): HttpResponse {
  const request = requestOf(call, call.query);
  if ("status" in request) return request;
  const wrong = fault(request);
  if (wrong) return wrong;
  const { authorizeAs } = call.world.rules;
  if (authorizeAs !== undefined) return grant(call, request, authorizeAs);
  const force = call.query.flag("force_login");
  const names = ["client_id", "response_type", "scope", "state", "redirect_uri"];
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = call.query.text(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const page = consentPage(
    request.client.name,
    force ? undefined : loggedIn(call),
    "/oauth2/authorize",
    values,
  );
  return force ? { ...page, headers: { ...page.headers, ...sessionCookie(undefined) } } : page;
}

/** Handles POST /oauth2/authorize, the form on the page. */
export function decide(call: Call): HttpResponse {
  const request = requestOf(call, call.body.fields);
  if ("status" in request) return request;
  const wrong = fault(request);
  if (wrong) return wrong;
  if (call.body.fields.text("decision") !== "allow") {
    return failure(request, "access_denied", "The user rejected");
  }
  const user = loginOf(call) ?? loggedIn(call);
  if (user === undefined) return messagePage("Not logged in", "Name or password is wrong", 401);
  const response = grant(call, request, user);
  return { ...response, headers: { ...response.headers, ...sessionCookie(user) } };
}
