import { z } from "zod";

/** The error message for a value where the location of a secret is expected. */
export const SECRET_HELP = "a secret does not stand in this file: write { file: PATH } or { env: NAME }";

/** One day in seconds. */
export const DAY = 24 * 60 * 60;

/** A non-empty string. */
export const text = z.string().min(1);

export const optionalText = text.optional();

/** The schema of the location of a secret. */
export const secret = z
  .strictObject({ file: text.optional(), env: text.optional() }, { error: secretHelp })
  .refine((value) => (value.file === undefined) !== (value.env === undefined), {
    error: "name exactly one of file and env",
  });

export const optionalSecret = secret.optional();

/**
 * The location of a secret: a file or an environment variable. The configuration never contains the secret
 * itself.
 */
export type SecretPlace = z.infer<typeof secret>;

/** Returns the schema of a boolean setting. */
export function flag(byDefault: boolean) {
  return z.boolean().default(byDefault);
}

/** Returns the schema of a duration in whole seconds. */
export function seconds(min: number, max: number, byDefault: number) {
  return z.int().min(min).max(max).default(byDefault);
}

/**
 * Returns whether a string is an origin in the form that browsers send, without a trailing slash. Origins are
 * compared literally.
 */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

function secretHelp(issue: { readonly code: string; readonly input?: unknown }): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return SECRET_HELP;
}
