import { ConnectError } from "@connectrpc/connect";
import { systemClock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { raced, within } from "../time/abort.ts";
import type { OAuthHttp } from "./options.ts";
import { listenForRedirect, type Redirected } from "./redirect-server.ts";

/** Options of a flow that a user completes in a browser. */
export interface PersonOptions extends OAuthHttp {
  /** Shows an address to the user, e.g. by opening a browser and printing the address. */
  readonly open: (url: URL) => void | Promise<void>;
  /** The local port to which the browser is redirected. Default: a free port. */
  readonly port?: number | undefined;
  /** The time that the user has to complete the flow, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** The default for `timeoutMs`. */
export const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

/** The final page for the user. */
const SIGNED_IN = {
  title: "You are signed in",
  text: "You may close this window and go back to the program that you came from.",
};

/**
 * The address that the user visits, and the work to do after the redirect. The browser shows whether the work
 * succeeded.
 */
interface Visit {
  readonly url: URL;
  readonly finish: (parameters: URLSearchParams) => Promise<void>;
}

/**
 * Sends the user to an address in a local browser, and waits for the redirect.
 *
 * @param state identifies the redirect of this sign-in
 * @throws ConnectError with a reason that begins with OAUTH_, or the errors of `visit` and `finish`
 */
export async function inBrowser(
  server: string,
  state: string,
  options: PersonOptions,
  visit: (redirectUri: string) => Promise<Visit>,
): Promise<void> {
  const { clock = systemClock, timeoutMs: ms = SIGN_IN_TIMEOUT_MS, signal } = options;
  const isExpected = (parameters: URLSearchParams) => parameters.getAll("state").join() === state;
  const listener = await listenForRedirect({ port: options.port, isExpected });
  try {
    const { url, finish } = await visit(listener.redirectUri);
    await options.open(url);
    const late = () => restError("OAUTH_SIGN_IN_TIMEOUT", { server, limit: `${ms / 1000} s` });
    const redirected = await within({ ms, clock, signal, late }, (ends) => raced(listener.redirected, ends));
    await shown(redirected, () => finish(redirected.parameters));
    await redirected.respond(SIGNED_IN);
  } finally {
    await listener.close();
  }
}

/** Does work, and shows an error page in the browser if the work fails. */
async function shown(redirected: Redirected, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const text = error instanceof ConnectError ? error.rawMessage : "The program has failed.";
    await redirected.respond({ title: "Not signed in", text });
    throw error;
  }
}
