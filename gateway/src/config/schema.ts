import { WATCH_DEFAULTS } from "connect-rest-runtime/internal";
import { z } from "zod";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitEntry, type LimitName } from "../limits.ts";
import { isHostPattern } from "../listener/hosts.ts";
import { FORWARDED_HEADERS } from "../listener/proxies.ts";
import { LOG_LEVELS } from "../log/logger.ts";
import { authorizationSchema } from "./authorization-schema.ts";
import { MAX_WORKERS } from "./environment.ts";
import { flag, isOrigin, optionalSecret, optionalText, text } from "./schema-parts.ts";
import { differences, optionalTls, upstreamSchema } from "./upstream-schema.ts";

/** A port to listen on; 0 picks a free port. */
const portSchema = z.int().min(0).max(65_535);

function limitSchema({ min = 1, max, effect }: LimitEntry): z.ZodOptional<z.ZodInt> {
  return z.int().min(min).max(max).optional().describe(effect);
}

const limitShape = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, limitSchema(LIMIT_TABLE[name])]),
) as Record<LimitName, z.ZodOptional<z.ZodInt>>;

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: "expected an IP address or network, e.g. 10.0.0.0/8",
});

const server = z.strictObject({
  host: text.default("127.0.0.1").describe("The address to listen on; `0.0.0.0` is every IPv4 interface."),
  port: portSchema
    .default(8080)
    .describe("The port to listen on; 0 picks a free one. `GATEWAY_PORT` and `--port` take precedence."),
  workers: z
    .union([z.int().min(1).max(MAX_WORKERS), z.literal("auto")], {
      error: `expected a number from 1 to ${MAX_WORKERS}, or "auto"`,
    })
    .default(1)
    .describe(
      "How many processes serve the port; `auto` is one for each processor. More than one share the limits that say so; see [workers](../gateway/README.md#workers). `--workers` takes precedence.",
    ),
  hosts: z
    .array(
      z.string().refine(isHostPattern, {
        error: 'expected a host name or an IP address without a port, *.example.com, or "*"',
      }),
    )
    .min(1)
    .optional()
    .describe(
      "The hosts by which callers reach the gateway, e.g. `gateway.example.com`; `*.example.com` is all names below one, and `*` every host. Requests for other hosts get 421, but for health checks: this keeps out web pages that point their own name to the gateway (DNS rebinding). Default: `localhost`, `*.localhost`, `127.0.0.1`, `::1` and `server.host`, where that is a loopback address; for others there is no default.",
    ),
  origins: z
    .array(
      z
        .string()
        .refine((origin) => origin === "*" || isOrigin(origin), { error: 'expected an origin, or "*"' }),
    )
    .default([])
    .describe(
      "Origins whose web pages may call the gateway (CORS), e.g. `https://app.example`; `*` allows all.",
    ),
  allowedHeaders: z
    .array(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, { error: 'expected the name of a header, or "*"' }),
    )
    .default([])
    .describe(
      "Further request headers that pages of `server.origins` may send, e.g. `x-client-version`; `*` allows all. Pages may always send the headers of the protocols, of traces, and those that `passThrough` names.",
    ),
  pages: flag(true).describe(
    "Serve a page at `/` with every service and method, their comments and a command for each. `/healthz` and `/readyz` are served anyway.",
  ),
  reflection: flag(true).describe(
    "Let clients learn the services and their schema: by gRPC reflection, by `List` of gRPC health, and from the errors of unknown paths. `false` tells them nothing beyond the methods that they know.",
  ),
  tls: z
    .strictObject({
      certificate: text.describe("PEM file with the certificate chain, relative to this file."),
      key: text.describe("PEM file with the private key, relative to this file."),
      clientCa: optionalText.describe(
        "PEM file with the certificates of authorities, relative to this file. Clients must present a certificate that is signed by one of these authorities (mutual TLS). All other connections are rejected, including those of health probes. Default: clients need no certificate.",
      ),
    })
    .optional()
    .describe("Serve TLS, with HTTP/2 and HTTP/1.1 chosen by ALPN. The files are reloaded when they change."),
  proxies: z
    .strictObject({
      trusted: z
        .array(network)
        .min(1)
        .describe("IP addresses and networks of the proxies, e.g. `10.0.0.0/8`."),
      header: z
        .enum(FORWARDED_HEADERS)
        .default("x-forwarded")
        .describe(
          "Which header the proxies set: `x-forwarded` for X-Forwarded-For, -Proto and -Host, or `forwarded` (RFC 7239). The other is ignored.",
        ),
    })
    .optional()
    .describe(
      "Trusted proxies: the client's address, scheme and host are taken from the headers that they set. Default: none, so that no such header is read.",
    ),
  metrics: z
    .strictObject({
      host: text.default("127.0.0.1").describe("The address to listen on."),
      port: portSchema.default(9464).describe("The port to listen on; 0 picks a free one."),
      perMethod: flag(false).describe(
        "Measure the time of requests to upstreams by method as well (`connect_rest_method_upstream_duration_seconds`): a histogram for each method that is called.",
      ),
    })
    .optional()
    .describe("Serve Prometheus metrics at `/metrics` on a separate port. Default: not served."),
  diagnostics: z
    .strictObject({
      host: text
        .default("127.0.0.1")
        .describe(
          "The address to listen on. Beyond loopback, everyone who reaches it can read the memory of the process, with its secrets.",
        ),
      port: portSchema.default(9465).describe("The port to listen on; 0 picks a free one."),
    })
    .optional()
    .describe(
      "Serve heap snapshots (`GET /heap-snapshot`), CPU profiles (`GET /cpu-profile?seconds=10`), the requests at the origins of upstreams with their limits (`GET /origins`) and the level of the log (`GET`, `PUT /log-level`) on a separate port. Default: not served.",
    ),
  limits: z
    .strictObject(limitShape)
    .default({})
    .describe("Limits that protect the gateway from overload and from its clients; see below."),
});

/** The configuration file. */
const redisAddress = z
  .url({ protocol: /^rediss?$/, error: "expected an address of Redis, e.g. rediss://redis.example:6379" })
  .refine((text) => /^[^:]+:\/\/[^/?#@]+(?:\/\d{0,5})?$/.test(text), {
    error:
      "expected an address without user, password and query: redis://host:port/database; name places for username and password",
  });

const watch = z.strictObject({
  resumeKey: optionalSecret.describe(
    "Signs resume tokens: at least 32 characters, e.g. of `openssl rand -hex 32`. With it, streams go on where they ended also after a restart, and at other replicas. Default: a random one, so that tokens end with the process.",
  ),
  previousResumeKey: optionalSecret.describe(
    "The key before it, whose tokens are still accepted. Default: none.",
  ),
  maxFeeds: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      `How many different feeds each process watches at the same time: ${WATCH_DEFAULTS.maxFeeds}, unless set. A caller alone may have them all; then a caller that has fewer takes the place of the newest feed of the caller that has the most, whose streams end with RESOURCE_EXHAUSTED and can go on later with their resume tokens.`,
    ),
});

const bus = z.strictObject({
  url: redisAddress.describe(
    "The address of Redis (6.2 and newer) or Valkey: `redis://host:port/database`, or `rediss:` for TLS.",
  ),
  username: optionalSecret.describe("The user of the access control list. Default: the default user."),
  password: optionalSecret.describe("The password of the user. Default: none."),
  tls: optionalTls.describe(
    "TLS towards the bus, with `rediss:`. The files are relative to this file and read at the start.",
  ),
  key: optionalSecret.describe(
    "Encrypts what is on the bus (AES-256-GCM): at least 32 characters, the same in all replicas. Default: none; then feeds that are polled with credentials are not shared.",
  ),
  previousKey: optionalSecret.describe(
    "The key before it, with which entries are still read while replicas change to another one.",
  ),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, { error: "expected at most 64 letters, digits and ._:-" })
    .default("connect-rest")
    .describe("What all keys and channels on the bus begin with. Gateways that share feeds have the same."),
});

export const configSchema = z.strictObject({
  adapters: z
    .array(text)
    .min(1)
    .describe("The generated adapter modules to serve, as paths relative to this file or as package names."),
  types: z
    .array(text)
    .default([])
    .describe(
      "Modules of messages (protoc-gen-es) with further types that a `google.protobuf.Any` or a detail of an error may have, as paths relative to this file or as package names. Those that the adapters import, those of `google.rpc` and the well-known types are known anyway.",
    ),
  upstreams: z
    .record(text, upstreamSchema)
    .default({})
    .describe("The REST APIs that the gateway calls, by the names that the adapters use."),
  server: server.prefault({}).describe("How the gateway listens for calls."),
  authorization: authorizationSchema
    .optional()
    .describe(
      "Require an access token with every call, and be the OAuth 2.1 authorization server that issues them, with the package `connect-rest-authorization`; see [authorization](authorization.md). Default: anyone who reaches the gateway may call it.",
    ),
  routes: z
    .strictObject({
      include: z
        .array(text)
        .min(1)
        .optional()
        .describe(
          "Serve only these services (`package.Service`) and methods (`package.Service/Method`). Default: all.",
        ),
      exclude: z.array(text).default([]).describe("Do not serve these services and methods."),
    })
    .prefault({})
    .describe("Restrict which services and methods are served."),
  examples: z
    .record(text, z.json())
    .default({})
    .describe("Example request messages for the start page, by method (`package.Service/Method`)."),
  watch: watch.optional().describe("How feeds are watched; see [feeds](feeds.md)."),
  bus: bus
    .optional()
    .describe(
      "Share watched feeds among replicas over Redis or Valkey: one of them polls, all deliver. Default: the workers of a gateway share them, and each gateway polls for itself.",
    ),
  differences: differences
    .optional()
    .describe(
      "What is done where a response differs from its description, by class: `ignore` it, `log` and count it, or `fail` the call as well. Default: `log`.",
    ),
  strict: flag(false).describe(
    "Short for `differences: { lost: fail }`, and not together with another `differences.lost`: fail calls whose response loses a declared value. What `differences.methods` and upstreams say of `lost` are exceptions.",
  ),
  webAssembly: flag(true).describe(
    "Read usual responses and print JSON by WebAssembly, which takes a fraction of the time and makes the same. `false` leaves all of it to JavaScript, as does a Node.js that does not allow WebAssembly.",
  ),
  log: z
    .strictObject({ level: z.enum(LOG_LEVELS).default("info").describe("The minimum level of a log line.") })
    .prefault({})
    .describe("Logging, to standard error."),
  sandbox: z
    .strictObject({
      module: text.describe(
        "The module to run as a child process, as a path relative to this file or as a package name.",
      ),
      port: portSchema
        .default(8081)
        .describe("The port of the sandbox; 0 picks a free one. `SANDBOX_PORT` takes precedence."),
    })
    .optional()
    .describe("A test server that stands in for the upstreams; `serve --sandbox` starts it."),
});

/** A valid configuration file. */
export type ConfigFile = z.infer<typeof configSchema>;
