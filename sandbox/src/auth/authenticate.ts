import type { World } from "../world.ts";
import { type Caller, NOBODY, unauthorized } from "./caller.ts";
import { findProtocol, type SignedRequest, verify } from "./oauth1.ts";

interface TokenRow {
  readonly secret: string;
  readonly consumer: string;
  readonly user: string;
}

function consumerSecret(world: World, key: string | undefined): string | undefined {
  return world.db.get<{ secret: string }>("SELECT secret FROM consumers WHERE key = ?", key ?? "")?.secret;
}

function byBearer(world: World, token: string): Caller {
  const row = world.db.get<{ client: string; user: string | null; scope: string; expires: number }>(
    "SELECT client, user, scope, expires FROM oauth2_tokens WHERE access = ?",
    token,
  );
  if (!row || row.expires <= world.clock.seconds()) throw unauthorized();
  const application: Caller = { via: "oauth2", consumer: row.client, scopes: row.scope.split(" ") };
  return row.user === null ? application : { ...application, user: row.user };
}

function bySignature(world: World, request: SignedRequest): Caller | undefined {
  const protocol = findProtocol(request);
  if (protocol === undefined) return undefined;
  if (typeof protocol === "string") throw unauthorized();
  const key = protocol.values.get("oauth_consumer_key") ?? "";
  const secret = consumerSecret(world, key);
  if (secret === undefined) throw unauthorized();
  const token = protocol.values.get("oauth_token") ?? "";
  const row = world.db.get<TokenRow>(
    "SELECT secret, consumer, user FROM oauth1_tokens WHERE token = ?",
    token,
  );
  if (token !== "" && row?.consumer !== key) throw unauthorized();
  const failure = verify(world, request, protocol, { consumer: secret, token: row?.secret ?? "" });
  if (failure !== undefined) throw unauthorized();
  return row ? { via: "oauth1", consumer: key, user: row.user, token } : { via: "oauth1", consumer: key };
}

/**
 * Reads the credentials of a request: a bearer token, an OAuth 1.0a signature, or `api_key`. Invalid
 * credentials result in a 401 even if the endpoint requires none.
 */
export function authenticate(world: World, request: SignedRequest, apiKey: string | undefined): Caller {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.authorization ?? "")?.[1];
  if (apiKey !== undefined && consumerSecret(world, apiKey) === undefined) throw unauthorized();
  if (bearer !== undefined) return byBearer(world, bearer);
  if (request.authorization !== undefined && !/^OAuth\s/i.test(request.authorization)) throw unauthorized();
  const signed = bySignature(world, request);
  if (signed) return signed;
  return apiKey === undefined ? NOBODY : { via: "api_key", consumer: apiKey };
}
