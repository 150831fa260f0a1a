import { WATCH_DEFAULTS } from "connect-rest-runtime/internal";
import { z } from "zod";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitEntry, type LimitName } from "../limits.ts";
import { isHostPattern } from "../listener/hosts.ts";
import { FORWARDED_HEADERS } from "../listener/proxies.ts";
import { LOG_LEVELS } from "../log/logger.ts";
import { MCP_DEFAULTS } from "../mcp/options.ts";
import { authorizationSchema } from "./authorization-schema.ts";
import { MAX_WORKERS } from "./environment.ts";
import { recordSchema } from "./record-schema.ts";
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
  host: text.default("127.0.0.1").describe("The address to listen on. `0.0.0.0` means every IPv4 interface."),
  port: portSchema
    .default(8080)
    .describe("The port to listen on. 0 picks a free port. `GATEWAY_PORT` and `--port` take precedence."),
  workers: z
    .union([z.int().min(1).max(MAX_WORKERS), z.literal("auto")], {
      error: `expected a number from 1 to ${MAX_WORKERS}, or "auto"`,
    })
    .default(1)
    .describe(
      "The number of processes that serve the port. `auto` starts one process per processor. Several processes divide the limits marked as shared; see [workers](../gateway/README.md#workers). `--workers` takes precedence.",
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
      "The host names that callers use for the gateway, e.g. `gateway.example.com`. `*.example.com` means all subdomains, and `*` every host. Requests for other hosts get 421, except health checks. The check keeps out web pages that point their own host name to the gateway (DNS rebinding). Default if `server.host` is a loopback address: `localhost`, `*.localhost`, `127.0.0.1`, `::1` and `server.host`. For other addresses, the setting is required.",
    ),
  origins: z
    .array(
      z
        .string()
        .refine((origin) => origin === "*" || isOrigin(origin), { error: 'expected an origin, or "*"' }),
    )
    .default([])
    .describe(
      "Origins whose web pages may call the gateway (CORS), e.g. `https://app.example`. `*` allows all origins.",
    ),
  allowedHeaders: z
    .array(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, { error: 'expected the name of a header, or "*"' }),
    )
    .default([])
    .describe(
      "Additional request headers that pages of `server.origins` may send, e.g. `x-client-version`. `*` allows all headers. Pages may always send the headers of the RPC protocols, trace headers, and the headers that `passThrough` names.",
    ),
  console: z
    .boolean()
    .optional()
    .describe(
      "Serve the [console](console.md) at `/`: a page with every service and method, which calls them from a browser. With `authorization`, the page is empty until a person signs in. Default: `true` if `server.host` is a loopback address and `server.hosts` is not set, and `false` otherwise. `/healthz` and `/readyz` are always served.",
    ),
  reflection: flag(true).describe(
    "Let clients discover services and their schema through gRPC reflection, `List` of gRPC health, and the errors for unknown paths. With `false`, clients must already know the methods.",
  ),
  explain: z
    .boolean()
    .optional()
    .describe(
      "Serve `connectrest.explain.v1.ExplainService`, which shows the HTTP requests that a call becomes, and sends the call on demand; see [explanations](../gateway/README.md#explanations). With `authorization`, its calls need the scope `explain`. Default: `true` if the console is served and callers are not authorized, and `false` otherwise.",
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
          "Which headers the proxies set: `x-forwarded` for X-Forwarded-For, -Proto and -Host, or `forwarded` for Forwarded (RFC 7239). The other headers are ignored.",
        ),
    })
    .optional()
    .describe(
      "Trusted proxies. The gateway takes the client's address, scheme and host from the headers that these proxies set. Default: no proxy is trusted, and no such header is read.",
    ),
  metrics: z
    .strictObject({
      host: text.default("127.0.0.1").describe("The address to listen on."),
      port: portSchema.default(9464).describe("The port to listen on. 0 picks a free port."),
      perMethod: flag(false).describe(
        "Also measure the duration of upstream requests per method, as the histogram `connect_rest_method_upstream_duration_seconds`.",
      ),
    })
    .optional()
    .describe("Serve Prometheus metrics at `/metrics` on a separate port. Default: not served."),
  diagnostics: z
    .strictObject({
      host: text
        .default("127.0.0.1")
        .describe(
          "The address to listen on. Anyone who can reach this address can read the memory of the process, including its secrets.",
        ),
      port: portSchema.default(9465).describe("The port to listen on. 0 picks a free port."),
    })
    .optional()
    .describe(
      "Serve diagnostics on a separate port: heap snapshots (`GET /heap-snapshot`), CPU profiles (`GET /cpu-profile?seconds=10`), the requests at each upstream origin and their limits (`GET /origins`), the differences between responses and their description (`GET /differences`), and the log level (`GET` and `PUT /log-level`). Default: not served.",
    ),
  limits: z
    .strictObject(limitShape)
    .default({})
    .describe("Limits that protect the gateway from overload and from its clients; see [limits](#limits)."),
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
    "The key that signs resume tokens: at least 32 characters, e.g. from `openssl rand -hex 32`. With the same key in all replicas, a stream can resume after a restart and at any replica. Default: each process uses a random key, so other processes, including a restarted one, reject its resume tokens with RESUME_TOKEN_INVALID.",
  ),
  previousResumeKey: optionalSecret.describe(
    "The previous value of `resumeKey`. Resume tokens signed with the previous key are still accepted. Default: none.",
  ),
  maxFeeds: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      `The maximum number of different feeds that each process watches at the same time. One caller may use all of these feeds. When the maximum is reached, a caller with fewer feeds replaces the newest feed of the caller with the most feeds. The streams of the replaced feed end with RESOURCE_EXHAUSTED, and can resume later with their resume tokens. Default: ${WATCH_DEFAULTS.maxFeeds}.`,
    ),
});

const bus = z.strictObject({
  url: redisAddress.describe(
    "The URL of Redis (6.2 or newer) or Valkey: `redis://host:port/database`, or `rediss:` for TLS.",
  ),
  username: optionalSecret.describe("The user name in Redis. Default: the default user."),
  password: optionalSecret.describe("The password of the user. Default: none."),
  tls: optionalTls.describe(
    "TLS settings for a `rediss:` URL. File names are relative to this file. The files are read when the gateway starts.",
  ),
  key: optionalSecret.describe(
    "The key that encrypts the data on the bus (AES-256-GCM): at least 32 characters, the same in all replicas. Default: none. Without a key, feeds that are polled with credentials are not shared.",
  ),
  previousKey: optionalSecret.describe(
    "The previous value of `key`. Entries encrypted with the previous key can still be read while replicas change to the new key.",
  ),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, { error: "expected at most 64 letters, digits and ._:-" })
    .default("connect-rest")
    .describe(
      "The prefix of all keys and channels on the bus. Gateways that share feeds must use the same prefix.",
    ),
});

const methodPattern = z.string().regex(/^(?:\*|[\w.]+(?:\.\*|\/\w+)?)$/, {
  error: "expected package.Service/Method, package.Service, package.* or *",
});

const mcp = z.strictObject({
  path: z
    .string()
    .regex(/^(?:\/[\w-]+){1,8}$/, { error: "expected a path without dots, e.g. /mcp" })
    .default(MCP_DEFAULTS.path)
    .describe("The path of the endpoint, for the Streamable HTTP transport."),
  methods: z
    .array(methodPattern)
    .default([])
    .describe(
      "Methods that are tools in addition to the read-only methods: `package.Service/Method`, `package.Service`, `package.*`, or `*` for all methods. A method is read-only if its `idempotency_level` is `NO_SIDE_EFFECTS`, or if it sends GET or HEAD.",
    ),
  exclude: z
    .array(methodPattern)
    .default([])
    .describe("Methods that are not tools, although they are read-only."),
  maxTools: z
    .int()
    .min(0)
    .max(1000)
    .default(MCP_DEFAULTS.maxTools)
    .describe(
      "The maximum number of tools that a client lists. If there are more tools, the list has only the tools of `listed`, and tools that search, describe and call all methods.",
    ),
  listed: z
    .array(methodPattern)
    .default([])
    .describe("The methods that a client lists if there are more tools than `maxTools`."),
  maxResultBytes: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(MCP_DEFAULTS.maxResultBytes)
    .describe(
      "The maximum size of a result, in bytes of JSON. A larger result is an error, except of a stream.",
    ),
  maxMessages: z
    .int()
    .min(1)
    .max(10_000)
    .default(MCP_DEFAULTS.maxMessages)
    .describe("The maximum number of messages in the result of a streaming method."),
  maxStreamSeconds: z
    .int()
    .min(1)
    .max(3600)
    .default(MCP_DEFAULTS.maxStreamSeconds)
    .describe("The time after which a streaming method returns the messages received so far, in seconds."),
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
      "Modules generated by protoc-gen-es, with message types that a `google.protobuf.Any` or an error detail may contain. Each is a path relative to this file, or a package name. The gateway always knows the types that the adapters import, the types in `google.rpc`, and the well-known types.",
    ),
  upstreams: z
    .record(text, upstreamSchema)
    .default({})
    .describe("The REST APIs that the gateway calls, by the names that the adapters use."),
  server: server.prefault({}).describe("How the gateway listens for calls."),
  authorization: authorizationSchema
    .optional()
    .describe(
      "Require an access token with every call. The gateway becomes an OAuth 2.1 authorization server that issues these tokens, with the package `connect-rest-authorization`; see [authorization](authorization.md). Default: anyone who reaches the gateway may make calls.",
    ),
  mcp: mcp
    .optional()
    .describe(
      "Serve methods as tools for agents (Model Context Protocol), with the package `@modelcontextprotocol/server`; see [tools for agents](mcp.md). Default: not served.",
    ),
  routes: z
    .strictObject({
      include: z
        .array(text)
        .min(1)
        .optional()
        .describe(
          "Serve only these services (`package.Service`) and methods (`package.Service/Method`). Default: all services.",
        ),
      exclude: z.array(text).default([]).describe("Do not serve these services and methods."),
    })
    .prefault({})
    .describe("Restricts which services and methods are served."),
  examples: z
    .record(text, z.json())
    .default({})
    .describe("Example request messages for the console, by method (`package.Service/Method`)."),
  watch: watch.optional().describe("Settings for methods that watch a feed; see [feeds](feeds.md)."),
  bus: bus
    .optional()
    .describe(
      "Share watched feeds between replicas over Redis or Valkey. One replica polls a feed, and all replicas deliver its items. All replicas need the same `watch.resumeKey`; without `watch.resumeKey`, the gateway rejects the configuration. Default: the workers of one gateway share feeds, and each gateway polls separately.",
    ),
  differences: differences
    .optional()
    .describe(
      "How the gateway handles differences between a response and its description, by class: `ignore` the difference, `log` and count it, or also `fail` the call. Default: `log`.",
    ),
  record: recordSchema
    .optional()
    .describe(
      "Record exchanges with upstreams in HAR files, which [`verify`](verify.md) reads. Credentials and values of fields marked `redact` are never recorded. Default: nothing is recorded.",
    ),
  strict: flag(false).describe(
    "Fail calls whose response loses a declared value. Short for `differences: { lost: fail }`, and not allowed with a different `differences.lost`. `lost` in `differences.methods` or in an upstream's `differences` takes precedence.",
  ),
  webAssembly: flag(true).describe(
    "Use WebAssembly to read ordinary responses and to print JSON. WebAssembly takes a fraction of the time that JavaScript takes, and has the same results. With `false`, and where Node.js does not allow WebAssembly, JavaScript does all of this work.",
  ),
  log: z
    .strictObject({ level: z.enum(LOG_LEVELS).default("info").describe("The minimum level of a log line.") })
    .prefault({})
    .describe("Settings of the log, which is written to standard error."),
  sandbox: z
    .strictObject({
      module: text.describe(
        "The module to run as a child process, as a path relative to this file or as a package name.",
      ),
      port: portSchema
        .default(8081)
        .describe("The port of the sandbox. 0 picks a free port. `SANDBOX_PORT` takes precedence."),
    })
    .optional()
    .describe("A test server that replaces the upstreams. `serve --sandbox` starts this server."),
});

/** A valid configuration file. */
export type ConfigFile = z.infer<typeof configSchema>;
