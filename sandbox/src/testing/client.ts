import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { baseString, baseUri, sign } from "../auth/signature.ts";
import { randomToken } from "../entropy.ts";
import { decodePairs, percentEncode } from "../http/fields.ts";
import { readJson } from "../json.ts";
import { CREDENTIALS, userTokenOf } from "../seed/credentials.ts";

/** A complete response. */
export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  /**
   * The JSON of the body, with integers beyond 2^53 as `bigint`. Untyped, since tests read arbitrary
   * responses.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  readonly json: any;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Whether to omit the `User-Agent` header. */
  readonly anonymous?: boolean;
}

/** Sends a plain HTTP request with `node:http`, without changing the target. */
export function ask(url: string, options: Ask = {}): Promise<Got> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf("/", "http://".length));
  const length =
    options.body === undefined ? {} : { "content-length": String(Buffer.byteLength(options.body)) };
  const agent = options.anonymous ? {} : { "user-agent": "sandbox-test/1" };
  const headers = { ...agent, ...length, ...options.headers };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, path, method: options.method ?? "GET", headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          let json: unknown;
          try {
            json = readJson(text);
          } catch {
            json = undefined;
          }
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, json });
        });
      },
    );
    request.on("error", reject);
    request.end(options.body);
  });
}

export const KEY = `api_key=${CREDENTIALS.consumerKey}`;
/** Returns the credentials of a seeded user. */
export function bearer(user: string): { authorization: string } {
  return { authorization: `Bearer ${userTokenOf(user)}` };
}

export const BEARER = bearer("demo");
export const ADA = bearer("ada");

/** Sends a JSON body as the user `demo`. Default: POST. */
export function sendJson(url: string, value: unknown, options: Ask = {}): Promise<Got> {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const headers = { "content-type": "application/json", ...BEARER, ...options.headers };
  return ask(url, { method: "POST", ...options, headers, body });
}

/** Sends a request as a seeded user, with a JSON body if one is given. */
export function askAs(user: string, method: string, url: string, body?: unknown): Promise<Got> {
  const headers = bearer(user);
  return body === undefined ? ask(url, { method, headers }) : sendJson(url, body, { method, headers });
}

/** Returns the status, and the subcode if there is one: `403.23020`. */
export function outcome(got: Got): string {
  const code: unknown = got.json?.errors?.[0]?.code;
  return code ? `${got.status}.${code}` : String(got.status);
}

export function sendForm(url: string, pairs: Record<string, string>, options: Ask = {}): Promise<Got> {
  const headers = { "content-type": "application/x-www-form-urlencoded", ...BEARER, ...options.headers };
  return ask(url, { method: "POST", ...options, headers, body: new URLSearchParams(pairs).toString() });
}

export interface FormPart {
  readonly name: string;
  readonly value: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
}

/** Builds a multipart body with exactly these parts, in this order. */
export function multipart(parts: readonly FormPart[]): { headers: Record<string, string>; body: Buffer } {
  const boundary = "----sandbox-test-boundary";
  const pieces = parts.flatMap(({ name, value, filename, type }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const kind = type === undefined ? "" : `Content-Type: ${type}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")];
  });
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { headers: { "content-type": `multipart/form-data; boundary=${boundary}` }, body };
}

export function sendParts(url: string, parts: readonly FormPart[], options: Ask = {}): Promise<Got> {
  const { headers, body } = multipart(parts);
  return ask(url, {
    method: "POST",
    ...options,
    headers: { ...headers, ...BEARER, ...options.headers },
    body,
  });
}

export interface SignOptions {
  readonly token?: string;
  readonly tokenSecret?: string;
  readonly consumerKey?: string;
  readonly consumerSecret?: string;
  readonly timestamp?: string;
  readonly nonce?: string;
  readonly method?: string;
  readonly form?: string;
  /** Additional protocol parameters, such as `oauth_callback`. */
  readonly extra?: Record<string, string>;
}

/** Returns the `Authorization` header of a signed request. Default: a request by the user `demo`. */
export function signed(url: string, options: SignOptions = {}): { authorization: string } {
  const scheme = url.slice(0, url.indexOf("://"));
  const start = scheme.length + "://".length;
  const at = url.indexOf("/", start);
  const [rawPath = "", query = ""] = url.slice(at).split("?");
  const token = options.token ?? CREDENTIALS.oauth1Token;
  const protocol: [string, string][] = [
    ["oauth_consumer_key", options.consumerKey ?? CREDENTIALS.consumerKey],
    ["oauth_nonce", options.nonce ?? randomToken(12)],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", options.timestamp ?? String(Math.floor(Date.now() / 1000))],
    ["oauth_version", "1.0"],
    ...Object.entries(options.extra ?? {}),
  ];
  if (token !== "") protocol.push(["oauth_token", token]);
  const pairs = [...decodePairs(query), ...decodePairs(options.form ?? ""), ...protocol];
  const base = baseString(options.method ?? "GET", baseUri(scheme, url.slice(start, at), rawPath), pairs);
  const secret = options.tokenSecret ?? (token === "" ? "" : CREDENTIALS.oauth1TokenSecret);
  const signature = sign(base, options.consumerSecret ?? CREDENTIALS.consumerSecret, secret);
  const items = [...protocol, ["oauth_signature", signature] as const];
  return {
    authorization: `OAuth ${items.map(([name, value]) => `${name}="${percentEncode(value)}"`).join(", ")}`,
  };
}
