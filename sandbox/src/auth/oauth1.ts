import { sameSecret } from "../entropy.ts";
import type { World } from "../world.ts";
import { baseString, baseUri, parseAuthorization, sign } from "./signature.ts";

type Pair = readonly [string, string];

/** The parts of a request that a signature covers. */
export interface SignedRequest {
  readonly method: string;
  /** Each `scheme://host[:port]` to which the client may have sent the request. */
  readonly origins: readonly string[];
  readonly rawPath: string;
  readonly authorization: string | undefined;
  readonly query: readonly Pair[];
  readonly form: readonly Pair[];
  /** The text parts of a multipart body. Some clients sign them, although the RFC excludes them. */
  readonly parts: readonly Pair[];
}

/** The protocol parameters of a signed request. */
export interface Protocol {
  readonly values: Map<string, string>;
  /** The parameters of the `Authorization` header, for the base string. */
  readonly header: readonly Pair[];
}

export type Failure = "malformed" | "method" | "consumer" | "token" | "signature" | "timestamp" | "nonce";

const WINDOW_SECONDS = 300;

/**
 * Protocol parameters that clients may put into the query or the body, even if the signature is in the
 * header.
 */
const MOVABLE: ReadonlySet<string> = new Set(["oauth_callback", "oauth_verifier"]);

const isProtocol = ([name]: Pair) => name.startsWith("oauth_");

/**
 * Finds the protocol parameters in the header, the query or the form body. All parameters except the callback
 * and the verifier must be in one place (RFC 5849 section 3.5). Returns `undefined` for a request without a
 * signature.
 */
export function findProtocol(request: SignedRequest): Protocol | Failure | undefined {
  const header = request.authorization?.match(/^OAuth\s/i) ? parseAuthorization(request.authorization) : [];
  if (!header) return "malformed";
  const places = [header, request.query.filter(isProtocol), request.form.filter(isProtocol)];
  const signed = places.filter((pairs) => pairs.some(([name]) => name === "oauth_signature"));
  const values = new Map<string, string>();
  if (signed.length === 0) return header.length > 0 ? "malformed" : undefined;
  if (signed.length > 1) return "malformed";
  const elsewhere = places.filter((pairs) => pairs !== signed[0]).flat();
  if (elsewhere.some(([name]) => isProtocol([name, ""]) && !MOVABLE.has(name))) return "malformed";
  for (const [name, value] of places.flat()) {
    if (!isProtocol([name, value])) continue;
    if (values.has(name)) return "malformed";
    values.set(name, value);
  }
  return { values, header };
}

function fresh(world: World, values: Map<string, string>): Failure | undefined {
  const timestamp = values.get("oauth_timestamp") ?? "";
  const nonce = values.get("oauth_nonce") ?? "";
  if (!/^\d+(\.\d+)?$/.test(timestamp) || nonce === "") return "malformed";
  const seconds = Math.floor(Number(timestamp));
  const now = world.clock.seconds();
  if (Math.abs(now - seconds) > WINDOW_SECONDS) return "timestamp";
  world.db.run("DELETE FROM oauth1_nonces WHERE timestamp < ?", now - 2 * WINDOW_SECONDS);
  const added = world.db.run(
    "INSERT OR IGNORE INTO oauth1_nonces (consumer, token, timestamp, nonce) VALUES (?, ?, ?, ?)",
    values.get("oauth_consumer_key") ?? "",
    values.get("oauth_token") ?? "",
    seconds,
    nonce,
  );
  return added === 0 ? "nonce" : undefined;
}

/** Verifies the signature, the timestamp and the nonce. Returns the failure, if any. */
export function verify(
  world: World,
  request: SignedRequest,
  protocol: Protocol,
  secrets: { consumer: string; token: string },
): Failure | undefined {
  const { values, header } = protocol;
  if (values.get("oauth_signature_method") !== "HMAC-SHA1") return "method";
  if ((values.get("oauth_version") ?? "1.0") !== "1.0") return "malformed";
  const uris = request.origins.map((origin) => {
    const at = origin.indexOf("://");
    return baseUri(origin.slice(0, at), origin.slice(at + 3), request.rawPath);
  });
  const given = values.get("oauth_signature") ?? "";
  const tries: Pair[][] = [[...header, ...request.query, ...request.form]];
  if (request.parts.length > 0) tries.push([...header, ...request.query, ...request.parts]);
  const signs = (uri: string, pairs: readonly Pair[]) =>
    sameSecret(sign(baseString(request.method, uri, pairs), secrets.consumer, secrets.token), given);
  const good = tries.some((pairs) => uris.some((uri) => signs(uri, pairs)));
  return good ? fresh(world, values) : "signature";
}
