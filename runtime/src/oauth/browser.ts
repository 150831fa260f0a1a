import { ConnectError } from "@connectrpc/connect";
import { systemClock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { raced, within } from "../time/abort.ts";
import type { OAuthHttp } from "./options.ts";
import { listenForRedirect, type Redirected } from "./redirect-server.ts";

/** How a person is led through a flow. */
export interface PersonOptions extends OAuthHttp {
  /** Leads the person to an address, e.g. opens a browser and prints it. */
  readonly open: (url: URL) => void | Promise<void>;
  /** The port of this machine that the browser comes back to. Default: a free one. */
  readonly port?: number | undefined;
  /** How long the person may take, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** How long a person may take. */
export const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

/** What a person reads in the end. */
const SIGNED_IN = {
  title: "You are signed in",
  text: "You may close this window and go back to the program that you came from.",
};

/**
 * Where the browser goes, and what is done when it comes back; the person sees in
 * the browser whether that worked.
 */
interface Visit {
  readonly url: URL;
  readonly finish: (parameters: URLSearchParams) => Promise<void>;
}

/**
 * Leads a person through a browser of this machine and back.
 *
 * @param state tells the way back of this sign-in from others
 * @throws ConnectError with a reason that begins with OAUTH_, or what `visit` and `finish` throw
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

/** Does work whose failure the person sees in the browser. */
async function shown(redirected: Redirected, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const text = error instanceof ConnectError ? error.rawMessage : "The program has failed.";
    await redirected.respond({ title: "Not signed in", text });
    throw error;
  }
}
