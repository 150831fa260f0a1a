#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Sandbox, type SandboxOptions, selfSigned, startSandbox, type TlsFiles } from "./index.ts";

const DEFAULT_PORT = 8081;
const GRACE_MS = 2000;
/** Tools that try out a gateway ask more often than an application may: its limits are not what they measure. */
const CALLS = 1_000_000;
const ROOMY = {
  callsPerHour: CALLS,
  callsPerDay: CALLS,
  feedCallsAnonymous: CALLS,
  feedCallsWithToken: CALLS,
};

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`invalid port: ${text}`);
  return port;
}

interface TlsArguments {
  readonly tls?: boolean | undefined;
  readonly "tls-cert"?: string | undefined;
  readonly "tls-key"?: string | undefined;
}

/** The given certificate, or with `--tls` alone a self-made one. */
function tlsOf(values: TlsArguments): TlsFiles | undefined {
  const { tls, "tls-cert": cert, "tls-key": key } = values;
  if (cert !== undefined && key !== undefined) {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }
  if (cert !== undefined || key !== undefined) throw new Error("--tls-cert and --tls-key belong together");
  return tls === true ? selfSigned() : undefined;
}

/** The options of the command line; the environment's `SANDBOX_PORT` where `--port` is absent. */
function optionsOf(args: string[], environment: NodeJS.ProcessEnv): SandboxOptions {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      database: { type: "string" },
      "public-url": { type: "string" },
      tls: { type: "boolean" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
    },
  });
  const tls = tlsOf(values);
  const publicUrl = values["public-url"];
  return {
    port: portOf(values.port ?? environment.SANDBOX_PORT ?? String(DEFAULT_PORT)),
    keepRequests: 0,
    limits: ROOMY,
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values.database === undefined ? {} : { database: values.database }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** What a parent process needs to point its upstreams here. */
function readyMessage(sandbox: Sandbox): object {
  const c = sandbox.credentials;
  return {
    type: "ready",
    url: sandbox.url,
    upstreams: {
      blog: {
        bases: { api: sandbox.url, web: sandbox.url },
        credentials: {
          apiKey: c.consumerKey,
          oauth1: {
            consumerKey: c.consumerKey,
            consumerSecret: c.consumerSecret,
            token: c.oauth1Token,
            tokenSecret: c.oauth1TokenSecret,
          },
          oauth2: { accessToken: c.userToken },
        },
      },
      events: { bases: { api: sandbox.feedUrl }, credentials: { oauth2: { accessToken: c.feedToken } } },
    },
  };
}

/** Under a parent with an IPC channel the parent says when to end, and drains first; else signals do. */
function endWhenTold(sandbox: Sandbox): void {
  const stop = () => {
    sandbox.close(GRACE_MS).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, process.send ? () => undefined : stop);
  }
  if (process.send) process.once("disconnect", stop);
}

try {
  const sandbox = await startSandbox(optionsOf(process.argv.slice(2), process.env));
  endWhenTold(sandbox);
  process.stdout.write(`sandbox ready on ${sandbox.url}\n`);
  if (sandbox.httpsUrl !== undefined) process.stdout.write(`sandbox ready on ${sandbox.httpsUrl}\n`);
  process.send?.(readyMessage(sandbox));
} catch (error) {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
