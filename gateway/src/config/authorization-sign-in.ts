import { z } from "zod";

/** How people sign in at one upstream (`upstreams.NAME.signIn`). */
export const upstreamSignIn = z.strictObject({});

/** What is common to all upstreams where people sign in (`authorization.signIn`). */
export const signInSchema = z.strictObject({});

/** `upstreams.NAME.signIn` as the configuration writes it. */
export type UpstreamSignIn = z.infer<typeof upstreamSignIn>;

/** `authorization.signIn` as the configuration writes it. */
export type SignInConfig = z.infer<typeof signInSchema>;
