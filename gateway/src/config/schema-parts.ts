import { z } from "zod";

/** The error text for a value in the place of a secret. */
export const SECRET_HELP = "a secret does not stand in this file: write { file: PATH } or { env: NAME }";

/** One day in seconds. */
export const DAY = 24 * 60 * 60;

/** A non-empty text. */
export const text = z.string().min(1);

export const optionalText = text.optional();

/** The place of a secret. */
export const secret = z
  .strictObject({ file: text.optional(), env: text.optional() }, { error: secretHelp })
  .refine((value) => (value.file === undefined) !== (value.env === undefined), {
    error: "name exactly one of file and env",
  });

export const optionalSecret = secret.optional();

/** The location of a secret, which is never in the configuration itself. */
export type SecretPlace = z.infer<typeof secret>;

/** A boolean setting. */
export function flag(byDefault: boolean) {
  return z.boolean().default(byDefault);
}

/** A duration in whole seconds. */
export function seconds(min: number, max: number, byDefault: number) {
  return z.int().min(min).max(max).default(byDefault);
}

/**
 * Returns whether the text is an origin as browsers send it, without a trailing slash, since origins are
 * compared literally.
 */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

function secretHelp(issue: { readonly code: string; readonly input?: unknown }): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return SECRET_HELP;
}
