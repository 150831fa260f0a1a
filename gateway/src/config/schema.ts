import { z } from "zod";
import { type LimitName, limitNames, limitTable } from "../limits.ts";
import { logLevels } from "../log/logger.ts";

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

const credentials = z.strictObject({
  apiKey: secret.optional(),
  oauth1: z
    .strictObject({
      consumerKey: secret,
      consumerSecret: secret,
      token: secret.optional(),
      tokenSecret: secret.optional(),
    })
    .optional(),
  oauth2: z.strictObject({ accessToken: secret }).optional(),
});

/** Credentials of an upstream, as places of secrets. */
export type CredentialPlaces = z.infer<typeof credentials>;

const address = z.url({ protocol: /^https?$/, error: "expected an http or https address" });

const upstream = z
  .strictObject({
    baseUrl: address.optional(),
    bases: z.record(text, address).optional(),
    credentials: credentials.optional(),
    userAgent: text.optional(),
    acceptEncoding: text.optional(),
    maxResponseBytes: z.int().min(1).optional(),
    maxHeaderBytes: z.int().min(1).optional(),
    connectTimeoutMs: z.int().min(1).optional(),
    headersTimeoutMs: z.int().min(1).optional(),
    bodyTimeoutMs: z.int().min(1).optional(),
    connections: z.int().min(1).optional(),
  })
  .refine((value) => value.baseUrl !== undefined || Object.keys(value.bases ?? {}).length > 0, {
    error: "an upstream needs an address: baseUrl, or bases",
  });

/** An upstream as the configuration writes it. */
export type UpstreamConfig = z.infer<typeof upstream>;

const limitShape = Object.fromEntries(
  limitNames.map((name) => [name, z.int().min(1).max(limitTable[name].max).optional()]),
) as Record<LimitName, z.ZodOptional<z.ZodInt>>;

const server = z.strictObject({
  host: text.default("127.0.0.1"),
  port: portSchema.default(8080),
  limits: z.strictObject(limitShape).default({}),
});

/** The configuration file. */
export const configSchema = z.strictObject({
  adapters: z.array(text).min(1),
  upstreams: z.record(text, upstream).default({}),
  server: server.prefault({}),
  routes: z.strictObject({ exclude: z.array(text).default([]) }).prefault({}),
  examples: z.record(text, z.json()).default({}),
  strict: z.boolean().default(false),
  log: z.strictObject({ level: z.enum(logLevels).default("info") }).prefault({}),
  sandbox: z.strictObject({ module: text, port: portSchema.default(8081) }).optional(),
});

/** A configuration file that is right. */
export type ConfigFile = z.infer<typeof configSchema>;

function secretHelp(issue: { readonly code: string; readonly input?: unknown }): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return "a secret does not stand in this file: write { file: PATH } or { env: NAME }";
}
