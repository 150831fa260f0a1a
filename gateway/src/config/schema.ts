import { z } from "zod";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitName } from "../limits.ts";
import { FORWARDED_HEADERS } from "../listener/proxies.ts";
import { LOG_LEVELS } from "../log/logger.ts";

/** A port to listen on; 0 picks a free one. */
export const portSchema = z.int().min(0).max(65_535);

const text = z.string().min(1);

const secret = z
  .strictObject({ file: text.optional(), env: text.optional() }, { error: secretHelp })
  .refine((value) => (value.file === undefined) !== (value.env === undefined), {
    error: "name exactly one of file and env",
  });

/** Where a secret is: never in the configuration itself. */
export type SecretPlace = z.infer<typeof secret>;

/** Headers that mean something to HTTP, to the protocols or to the gateway itself. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|cookie|origin|user-agent|vary|forwarded|x-forwarded-.*|x-request-id|traceparent|tracestate|baggage|accept(?:-.*)?|content-.*|access-control-.*|proxy-.*|connect-.*|grpc-.*|.*-bin)$/;

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: "expected the name of a header" })
  .refine((name) => !RESERVED_HEADER.test(name.toLowerCase()), {
    error: "this header means something else; name one of your own, e.g. x-api-token, or authorization",
  });

const fromHeader = z.strictObject({ header: headerName.describe("The name of the request header.") });

const passThrough = z
  .strictObject({
    apiKey: fromHeader.optional().describe("An API key."),
    oauth1: z
      .strictObject({
        token: fromHeader.describe("The user's token."),
        tokenSecret: fromHeader.describe("The secret of the token."),
      })
      .optional()
      .describe("A user's token; the client's key and secret are those of `credentials.oauth1`."),
    oauth2: fromHeader.optional().describe("An OAuth 2 bearer token, bare or after `Bearer`."),
    basic: fromHeader
      .optional()
      .describe("A user and a password as HTTP Basic writes them (RFC 7617), bare or after `Basic`."),
  })
  .describe("Credentials that every caller brings, in request headers that go to this upstream alone.");

const credentials = z.strictObject({
  apiKey: secret.optional().describe("An API key."),
  oauth1: z
    .strictObject({
      consumerKey: secret.describe("The client's key."),
      consumerSecret: secret.describe("The client's secret."),
      token: secret.optional().describe("The user's token, where a user is meant."),
      tokenSecret: secret.optional().describe("The secret of the token."),
    })
    .optional()
    .describe("OAuth 1.0a (RFC 5849)."),
  oauth2: z
    .strictObject({ accessToken: secret.describe("The token.") })
    .optional()
    .describe("An OAuth 2 bearer token (RFC 6750)."),
  basic: z
    .strictObject({
      username: secret.describe("The user, or a token."),
      password: secret.optional().describe("The password; none where a token is the user."),
    })
    .optional()
    .describe("A user and a password (HTTP Basic, RFC 7617)."),
  passThrough: passThrough.optional(),
});

/** Credentials of an upstream, as places of secrets. */
export type CredentialPlaces = z.infer<typeof credentials>;

const address = z
  .url({ protocol: /^https?$/, error: "expected an http or https address" })
  .refine((text) => /^[^?#@]*$/.test(text), {
    error: "expected an address without user, query and fragment; secrets belong below credentials",
  });

/** A limit of an upstream; its default is the runtime's. */
const count = z.int().min(1).optional();

/** Above 0 and at most 1. */
const part = z.number().gt(0).max(1).optional();

/** A group of settings that can be turned off as a whole. */
function offOr<T extends z.ZodRawShape>(shape: T) {
  return z.union([z.literal(false), z.strictObject(shape)], { error: "expected settings, or false" });
}

const retry = offOr({
  attempts: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe("How often a request is sent at most, the first time included. Default: 3."),
  baseDelayMs: count.describe(
    "The longest wait before the second attempt; it doubles with each, and each is drawn at random. Default: 100.",
  ),
  maxDelayMs: count.describe(
    "The longest wait. An upstream that says when is waited for as long as it says. Default: 2000.",
  ),
  budget: part.describe("How many further attempts every request that succeeds pays for. Default: 0.2."),
});

const breaker = offOr({
  failures: count.describe("So many failures, one after the other. Default: 5."),
  window: count.describe("How many of the last requests are looked at for `ratio`. Default: 20."),
  ratio: part.describe("The part of them that fails. Default: 0.5."),
  coolingMs: count.describe("The first cooling time; it grows while the upstream fails. Default: 5000."),
  maxCoolingMs: count.describe("The longest cooling time. Default: 60000."),
});

const rateLimits = offOr({
  share: part.describe(
    "The part of each limit that this gateway may use: 0.25 for one of four replicas. Rounded down, but at least one request. Default: 1.",
  ),
});

const upstream = z
  .strictObject({
    baseUrl: address.optional().describe("The base address, where there is one."),
    bases: z.record(text, address).optional().describe("Base addresses by the names that the adapters use."),
    credentials: credentials.optional().describe("What proves to the upstream who calls. Default: none."),
    userAgent: text.optional().describe("The `User-Agent` of every request."),
    acceptEncoding: text.optional().describe("The `Accept-Encoding` of every request; `identity` for none."),
    maxResponseBytes: count.describe("The largest body of an answer in bytes, as sent and decompressed."),
    maxDownloadBytes: count.describe(
      "The largest body of a method that streams it, decompressed, in bytes. Default: no limit, since it is never held as a whole.",
    ),
    maxHeaderBytes: count.describe("The largest head of an answer in bytes."),
    connectTimeoutMs: count.describe("How long a connection may take, TLS included."),
    headersTimeoutMs: count.describe("How long the head of an answer may take."),
    bodyTimeoutMs: count.describe("How long a body may pause."),
    connections: count.describe("Connections at most, for each base address."),
    retry: retry
      .optional()
      .describe(
        "When requests of idempotent methods are sent again: no connection, 502, 503, 429 with a time to wait. `false` for never.",
      ),
    breaker: breaker
      .optional()
      .describe(
        "When an upstream that fails is left alone for a while: its calls fail with UNAVAILABLE at once. `false` for never.",
      ),
    rateLimits: rateLimits
      .optional()
      .describe(
        "How the limits that its methods name (`rate_limits`) are kept. `false` for not at all, e.g. for a stand-in.",
      ),
    callsInFlight: count.describe(
      "Calls of it that run at the same time, so that a slow upstream leaves room for others. A further one fails with UNAVAILABLE. Default: 1024.",
    ),
    traceContext: z
      .boolean()
      .optional()
      .describe("Default: `true`. Send `traceparent` and `tracestate` along, as W3C Trace Context has them."),
  })
  .refine((value) => value.baseUrl !== undefined || Object.keys(value.bases ?? {}).length > 0, {
    error: "an upstream needs an address: baseUrl, or bases",
  });

/** An upstream as the configuration writes it. */
export type UpstreamConfig = z.infer<typeof upstream>;

const limitShape = Object.fromEntries(
  LIMIT_NAMES.map((name) => [
    name,
    z.int().min(1).max(LIMIT_TABLE[name].max).optional().describe(LIMIT_TABLE[name].effect),
  ]),
) as Record<LimitName, z.ZodOptional<z.ZodInt>>;

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: "expected an IP address or network, e.g. 10.0.0.0/8",
});

const server = z.strictObject({
  host: text.default("127.0.0.1").describe("The address to listen on; `0.0.0.0` for all of IPv4."),
  port: portSchema
    .default(8080)
    .describe("The port to listen on; 0 picks a free one. `GATEWAY_PORT` and `--port` win over it."),
  origins: z
    .array(z.string().refine(isOrigin, { error: 'expected an origin, or "*"' }))
    .default([])
    .describe("Origins whose pages may call the gateway from a browser (CORS), e.g. `https://app.example`."),
  tls: z
    .strictObject({
      certificate: text.describe(
        "A PEM file with the certificate and those of its issuers, relative to this file.",
      ),
      key: text.describe("A PEM file with its private key."),
    })
    .optional()
    .describe("Speak TLS, with HTTP/2 and HTTP/1.1 by ALPN. The files are read again when they change."),
  proxies: z
    .strictObject({
      trusted: z.array(network).min(1).describe("Their addresses and networks."),
      header: z
        .enum(FORWARDED_HEADERS)
        .default("x-forwarded")
        .describe(
          "What they write: X-Forwarded-For, -Proto and -Host, or Forwarded (RFC 7239). The other one is not read.",
        ),
    })
    .optional()
    .describe("Proxies in front of the gateway whose word about the client counts. Default: none."),
  metrics: z
    .strictObject({
      host: text.default("127.0.0.1").describe("The address to listen on."),
      port: portSchema.default(9464).describe("The port to listen on; 0 picks a free one."),
    })
    .optional()
    .describe("Serve metrics for Prometheus at `/metrics` on a port of their own. Default: nowhere."),
  limits: z.strictObject(limitShape).default({}).describe("Limits of the gateway; see below."),
});

/** The configuration file. */
export const configSchema = z.strictObject({
  adapters: z
    .array(text)
    .min(1)
    .describe(
      "Generated adapter modules: paths relative to this file, or packages. All their services are served.",
    ),
  upstreams: z
    .record(text, upstream)
    .default({})
    .describe("The upstreams, by the names that the adapters use."),
  server: server.prefault({}).describe("Where the gateway listens."),
  routes: z
    .strictObject({
      include: z
        .array(text)
        .min(1)
        .optional()
        .describe(
          "Full names of the services, or methods (`package.Service/Method`), that are served. Default: all.",
        ),
      exclude: z.array(text).default([]).describe("Full names of services, or methods, that are not served."),
    })
    .prefault({})
    .describe("Which services and methods are served."),
  examples: z
    .record(text, z.json())
    .default({})
    .describe("Request messages to show, by method (`package.Service/Method`)."),
  strict: z
    .boolean()
    .default(false)
    .describe("Fail calls whose answers are not as the adapter declares; otherwise that is logged as drift."),
  log: z
    .strictObject({ level: z.enum(LOG_LEVELS).default("info").describe("How much is logged.") })
    .prefault({})
    .describe("What is logged on standard error."),
  sandbox: z
    .strictObject({
      module: text.describe(
        "A module to run in a process of its own: a path relative to this file, or a package.",
      ),
      port: portSchema.default(8081).describe("Its port; 0 picks a free one. `SANDBOX_PORT` wins over it."),
    })
    .optional()
    .describe("The stand-in for the upstreams that `serve --sandbox` starts."),
});

/** A configuration file that is right. */
export type ConfigFile = z.infer<typeof configSchema>;

/** Browsers send an origin without a final slash, and it is compared as it comes. */
function isOrigin(text: string): boolean {
  return text === "*" || (/^https?:/.test(text) && URL.parse(text)?.origin === text);
}

function secretHelp(issue: { readonly code: string; readonly input?: unknown }): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return "a secret does not stand in this file: write { file: PATH } or { env: NAME }";
}
