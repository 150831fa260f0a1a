import { z } from "zod";

/** The text of a problem with what stands in the place of a secret. */
export const SECRET_HELP = "a secret does not stand in this file: write { file: PATH } or { env: NAME }";

/** A day in seconds. */
export const DAY = 24 * 60 * 60;

/** A text that is not empty. */
export const text = z.string().min(1);

export const optionalText = text.optional();

/** A place of a secret. */
export const secret = z
  .strictObject({ file: text.optional(), env: text.optional() }, { error: secretHelp })
  .refine((value) => (value.file === undefined) !== (value.env === undefined), {
    error: "name exactly one of file and env",
  });

export const optionalSecret = secret.optional();

/** Where a secret is: never in the configuration itself. */
export type SecretPlace = z.infer<typeof secret>;

/** A setting that is on or off. */
export function flag(byDefault: boolean) {
  return z.boolean().default(byDefault);
}

/** A time in whole seconds. */
export function seconds(min: number, max: number, byDefault: number) {
  return z.int().min(min).max(max).default(byDefault);
}

/** Browsers send an origin without a final slash, and it is compared as it comes. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

function secretHelp(issue: { readonly code: string; readonly input?: unknown }): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return SECRET_HELP;
}
