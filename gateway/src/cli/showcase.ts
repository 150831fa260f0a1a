import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { Secret } from "connect-rest-runtime";
import type { AuthorizationOverrides, Prepared } from "../config/inspect.ts";
import { loadConfig } from "../config/load.ts";
import type { UpstreamOverrides } from "../config/secrets.ts";
import type { Sandbox } from "../sandbox/sandbox-process.ts";
import type { SandboxFlags } from "./configured-sandbox.ts";

/** The authorization of a demo: in-memory state, a random key, and sign-in at a sandbox. */
export interface Showcase {
  readonly publicUrl: string;
  readonly port: number;
  readonly sandbox: Pick<SandboxFlags, "sandboxSignInRedirect">;
}

/** The path of the authorization server to which the upstream redirects people after sign-in. */
const RETURN_PATH = "/authorize/i/return";

/** The host of the showcase: a loopback address, for which http is sufficient. */
const HOST = "127.0.0.1";

/** Determines the addresses before any server listens, since the sandbox must know the redirect URL. */
export async function showcaseOf(options: {
  readonly config: string;
  readonly port?: number;
}): Promise<Showcase> {
  const wanted = options.port ?? loadConfig(options.config, process.env).server.port;
  const port = wanted === 0 ? await freePort() : wanted;
  const publicUrl = `http://${HOST}:${port}`;
  return { publicUrl, port, sandbox: { sandboxSignInRedirect: publicUrl + RETURN_PATH } };
}

/** Returns the settings for the upstreams that the sandbox replaces. */
export function upstreamsOf({ upstreams }: Sandbox): UpstreamOverrides {
  const entries = Object.entries(upstreams).map(
    ([name, { signIn: _, ...upstream }]) => [name, upstream] as const,
  );
  return Object.fromEntries(entries);
}

/** Returns authorization settings with sign-in at the sandbox. */
export function authorizationOf({ publicUrl }: Showcase, { upstreams }: Sandbox): AuthorizationOverrides {
  const signIns = Object.entries(upstreams).flatMap(([name, { signIn }]) =>
    signIn === undefined ? [] : [[name, signIn] as const],
  );
  const key = new Secret(randomBytes(32).toString("base64"));
  return { publicUrl, signIn: { upstreams: Object.fromEntries(signIns), keys: [key] } };
}

/** Returns the prepared configuration with an in-memory store. */
export function withShowcase(prepared: Prepared, showcase: Showcase | undefined): Prepared {
  const { authorization } = prepared;
  if (showcase === undefined || authorization === undefined) return prepared;
  return { ...prepared, authorization: { ...authorization, storePlace: { file: ":memory:" } } };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
