import type { Call } from "../dispatch/call.ts";
import { randomToken, sameSecret } from "../entropy.ts";
import { bareJson, type HttpResponse, rejectToken } from "../http/response.ts";

export const SCOPES = ["basic", "write", "offline_access"];
/** The lifetime of an access token in seconds. */
const ACCESS_SECONDS = 2520;
/** The lifetime of a refresh token in seconds. */
const REFRESH_SECONDS = 30 * 86_400;

export interface Client {
  readonly key: string;
  readonly secret: string;
  readonly name: string;
  readonly redirect_uris: string;
}

/** Issues an access token, and a refresh token if one was requested, and returns them. */
function issueTokens(
  call: Call,
  client: string,
  user: string | null,
  scope: string,
  refresh: boolean,
): HttpResponse {
  const { db, clock } = call.world;
  const access = randomToken(48);
  const refreshToken = refresh ? randomToken(48) : undefined;
  const now = clock.seconds();
  db.insert("oauth2_tokens", {
    access,
    refresh: refreshToken,
    client,
    user,
    scope,
    expires: now + ACCESS_SECONDS,
    refresh_expires: now + REFRESH_SECONDS,
  });
  const value = {
    access_token: access,
    expires_in: ACCESS_SECONDS,
    id_token: false,
    scope,
    token_type: "bearer",
  };
  const headers = { "cache-control": "no-store" };
  return bareJson(
    refreshToken === undefined ? value : { ...value, refresh_token: refreshToken },
    200,
    headers,
  );
}

function required(call: Call, name: string): string {
  const value = call.body.fields.text(name);
  if (!value) throw rejectToken(400, "invalid_request", `Missing parameter: ${name}`);
  return value;
}

/**
 * Returns the client for the ID and secret in the body or, for the client credentials grant, in HTTP Basic.
 * Throws 401 if they are wrong.
 */
function authenticatedClient(call: Call, basicAllowed: boolean): Client {
  const basic = /^Basic\s+(\S+)$/i.exec(call.headers.authorization ?? "")?.[1];
  let id: string;
  let secret: string;
  if (basicAllowed && basic !== undefined) {
    const [name = "", ...rest] = Buffer.from(basic, "base64").toString().split(":");
    id = decodeURIComponent(name);
    secret = decodeURIComponent(rest.join(":"));
  } else {
    id = required(call, "client_id");
    secret = required(call, "client_secret");
  }
  const client = call.world.db.get<Client>("SELECT * FROM consumers WHERE key = ?", id);
  if (!client || !sameSecret(client.secret, secret)) {
    throw rejectToken(401, "invalid_client", "Unknown client or wrong secret");
  }
  return client;
}

interface CodeRow {
  readonly client: string;
  readonly user: string;
  readonly scope: string;
  readonly redirect_uri: string | null;
  readonly expires: number;
}

function byCode(call: Call): HttpResponse {
  const { db, clock } = call.world;
  const code = required(call, "code");
  const client = authenticatedClient(call, false);
  const row = db.get<CodeRow>("SELECT * FROM oauth2_codes WHERE code = ?", code);
  const redirectUri = call.body.fields.text("redirect_uri") ?? null;
  const fits =
    row?.client === client.key && row.expires > clock.seconds() && row.redirect_uri === redirectUri;
  if (row?.client === client.key) db.run("DELETE FROM oauth2_codes WHERE code = ?", code);
  if (!fits || !row) {
    throw rejectToken(401, "invalid_grant", "The code is unknown, used, expired or not for this client");
  }
  return issueTokens(call, client.key, row.user, row.scope, row.scope.split(" ").includes("offline_access"));
}

function byRefresh(call: Call): HttpResponse {
  const { db } = call.world;
  const token = required(call, "refresh_token");
  const client = authenticatedClient(call, false);
  const row = db.get<{ user: string | null; scope: string }>(
    "SELECT user, scope FROM oauth2_tokens WHERE refresh = ? AND client = ? AND refresh_expires > ?",
    token,
    client.key,
    call.world.clock.seconds(),
  );
  if (!row) throw rejectToken(401, "invalid_grant", "The refresh token is unknown, used or expired");
  db.run("DELETE FROM oauth2_tokens WHERE refresh = ?", token);
  return issueTokens(call, client.key, row.user, row.scope, true);
}

function byClient(call: Call): HttpResponse {
  const client = authenticatedClient(call, true);
  const scope = call.body.fields.text("scope") || "basic";
  const unknown = scope.split(" ").find((item) => !SCOPES.includes(item));
  if (unknown !== undefined) throw rejectToken(400, "invalid_scope", `Unknown scope: ${unknown}`);
  return issueTokens(call, client.key, null, scope, false);
}

/**
 * Handles POST /v2/oauth2/token. The body is a form, multipart or JSON, and the response is JSON without an
 * envelope.
 */
export function token(call: Call): HttpResponse {
  const grant = required(call, "grant_type");
  if (grant === "authorization_code") return byCode(call);
  if (grant === "refresh_token") return byRefresh(call);
  if (grant === "client_credentials") return byClient(call);
  throw rejectToken(400, "unsupported_grant_type", `Unknown grant_type: ${grant}`);
}

/**
 * Handles POST /v2/oauth2/exchange. Exchanges an OAuth 1.0a token for OAuth 2.0 tokens, and invalidates it.
 */
export function exchange(call: Call): HttpResponse {
  const { token: old = "", user = "", consumer = "" } = call.caller;
  call.world.db.run("DELETE FROM oauth1_tokens WHERE token = ?", old);
  return issueTokens(call, consumer, user, "basic write", true);
}
