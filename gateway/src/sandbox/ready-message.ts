import { z } from "zod";
import { upstreamSignIn } from "../config/authorization-sign-in.ts";

const text = z.string().min(1);

const credentials = z.object({
  apiKey: text.optional(),
  oauth1: z
    .object({
      consumerKey: text,
      consumerSecret: text,
      token: text.optional(),
      tokenSecret: text.optional(),
    })
    .optional(),
  oauth2: z.object({ accessToken: text }).optional(),
});

/**
 * The message that a sandbox sends once it listens: its URL, and settings for the upstreams that it replaces,
 * including sign-in.
 */
export const readyMessageSchema = z.object({
  type: z.literal("ready"),
  url: z.url(),
  upstreams: z.record(
    text,
    z.object({
      baseUrl: z.url().optional(),
      bases: z.record(text, z.url()).optional(),
      credentials: credentials.optional(),
      signIn: z.object({ settings: upstreamSignIn, clientSecret: text }).optional(),
    }),
  ),
});

export type ReadyMessage = z.infer<typeof readyMessageSchema>;
