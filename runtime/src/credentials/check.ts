import { restError } from "../errors/rest-error.ts";
import type { Credentials } from "./credentials.ts";
import { Secret } from "./secret.ts";

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** What is wrong with a secret, in words that do not give it away; undefined when it can be sent. */
export function problemOfSecret(secret: Secret): string | undefined {
  const text = secret.reveal();
  if (typeof text !== "string") return typeof text;
  if (text === "") return "an empty string";
  if (/[\r\n]/.test(text)) return "a line break";
  if (text !== text.trim()) return "white space around it";
  return PRINTABLE_ASCII.test(text) ? undefined : "a control character, or one that is not ASCII";
}

/**
 * Checks the fixed credentials of an upstream when it is created.
 *
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID; the text never holds the secret
 */
export function checkCredentials(upstream: string, credentials: Credentials): void {
  const { apiKey, oauth1, oauth2 } = credentials;
  const values: Readonly<Record<string, string | Secret | undefined>> = {
    apiKey,
    ...(oauth1 && { "oauth1.consumerKey": oauth1.consumerKey ?? "", "oauth1.token": oauth1.token }),
    ...(oauth2 && { "oauth2.accessToken": oauth2.accessToken ?? "" }),
    // an empty secret is legal (RFC 5849 section 3.4.2), a missing one is a mistake
    ...(oauth1 && {
      "oauth1.consumerSecret": oauth1.consumerSecret === "" ? undefined : (oauth1.consumerSecret ?? ""),
    }),
    ...(oauth1 && { "oauth1.tokenSecret": oauth1.tokenSecret === "" ? undefined : oauth1.tokenSecret }),
  };
  for (const [option, value] of Object.entries(values)) {
    const problem = value === undefined ? undefined : problemOfSecret(Secret.of(value));
    if (problem === undefined) continue;
    throw restError("UPSTREAM_OPTION_INVALID", {
      upstream,
      option: `credentials.${option}`,
      expected: "printable ASCII on one line",
      got: problem,
    });
  }
}
