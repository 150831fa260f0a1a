#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Sandbox, type SandboxOptions, selfSigned, startSandbox, type TlsFiles } from "./index.ts";

const DEFAULT_PORT = 8081;
const GRACE_MS = 2000;
/** Benchmarks of a gateway send more calls than an application may send, so the limits are raised. */
const CALLS = 1_000_000;
const ROOMY = {
  callsPerHour: CALLS,
  callsPerDay: CALLS,
  feedCallsAnonymous: CALLS,
  feedCallsWithToken: CALLS,
};

/** A client that polls once a minute sees new events at this rate. Every tenth event is late. */
const EVENTS_PER_HOUR = 120;
const EVENT_SOURCE = { lateShare: 0.1, lateBy: [60, 600] } as const;

const HELP = `usage: connect-rest-sandbox [options]

Stand-in upstreams on one port: a blogging service and, below /feed, a repository event feed.

  --port <port>         listen on this port, 0 for a free one (default: SANDBOX_PORT, else ${DEFAULT_PORT})
  --host <address>      listen on this address (default: 127.0.0.1)
  --database <file>     keep the state in this SQLite file (default: in memory)
  --public-url <url>    the address by which others reach it
  --tls                 take HTTPS too, with a self-made certificate
  --tls-cert <file>     the certificate instead, PEM
  --tls-key <file>      the key of that certificate, PEM
  --events <number>     events of the feed that come into being in an hour, 0 for none (default: ${EVENTS_PER_HOUR})
  --events-latency <s>  seconds from the creation of an event until it is shown (default: 30)
  --events-seed <text>  the same seed makes the same events (default: 1)
  --sign-in-redirect <url>
                        where applications may send people back to; a parent process is then told how people sign in,
                        and gets no user's token
  --help                show this text and exit
`;

function numberOf(what: string, text: string): number {
  const number = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new Error(`invalid ${what}: ${text}`);
  return number;
}

interface EventArguments {
  readonly events?: string | undefined;
  readonly "events-latency"?: string | undefined;
  readonly "events-seed"?: string | undefined;
}

/** Returns the options for generated events, or nothing if their rate is 0. */
function eventsOf(values: EventArguments): Pick<SandboxOptions, "events"> {
  const { events = String(EVENTS_PER_HOUR), "events-latency": latency, "events-seed": seed } = values;
  const perHour = numberOf("number of events", events);
  if (perHour === 0) return {};
  const given = {
    ...(latency === undefined ? {} : { latency: numberOf("latency", latency) }),
    ...(seed === undefined ? {} : { seed }),
  };
  return { events: { ...EVENT_SOURCE, perHour, ...given } };
}

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

/** Returns the given certificate, or a self-signed certificate if there is only `--tls`. */
function tlsOf(values: TlsArguments): TlsFiles | undefined {
  const { tls, "tls-cert": cert, "tls-key": key } = values;
  if (cert !== undefined && key !== undefined) {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }
  if (cert !== undefined || key !== undefined) throw new Error("--tls-cert and --tls-key belong together");
  return tls === true ? selfSigned() : undefined;
}

/** Parses the command line. `SANDBOX_PORT` applies if `--port` is absent. Returns nothing for `--help`. */
function optionsOf(args: string[], environment: NodeJS.ProcessEnv): SandboxOptions | undefined {
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
      events: { type: "string" },
      "events-latency": { type: "string" },
      "events-seed": { type: "string" },
      "sign-in-redirect": { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) return undefined;
  const tls = tlsOf(values);
  const { "public-url": publicUrl, "sign-in-redirect": signInRedirect } = values;
  return {
    port: portOf(values.port ?? environment.SANDBOX_PORT ?? String(DEFAULT_PORT)),
    keepRequests: 0,
    limits: ROOMY,
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values.database === undefined ? {} : { database: values.database }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(tls === undefined ? {} : { tls }),
    ...(signInRedirect === undefined ? {} : { redirectUris: [signInRedirect] }),
    ...eventsOf(values),
  };
}

/** Returns the sign-in configuration of the blogging service for a parent process. */
function signInOf({ url, credentials: c }: Sandbox): object {
  return {
    settings: {
      title: "the blog of the sandbox",
      oauth2: {
        authorizationEndpoint: `${url}/oauth2/authorize`,
        tokenEndpoint: `${url}/v2/oauth2/token`,
        clientId: c.consumerKey,
        clientAuthentication: "client_secret_post",
        scopes: ["basic", "write", "offline_access"],
      },
      identity: { method: "user.v1.UserService/GetUserInfo", field: "user.name" },
      check: { method: "user.v1.UserService/GetUserLimits" },
    },
    clientSecret: c.consumerSecret,
  };
}

/** Returns the information that a parent process needs to use the sandbox as an upstream. */
function readyMessage(sandbox: Sandbox, hasSignIn: boolean): object {
  const c = sandbox.credentials;
  const token = hasSignIn ? {} : { token: c.oauth1Token, tokenSecret: c.oauth1TokenSecret };
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
            ...token,
          },
          ...(hasSignIn ? {} : { oauth2: { accessToken: c.userToken } }),
        },
        ...(hasSignIn ? { signIn: signInOf(sandbox) } : {}),
      },
      events: { bases: { api: sandbox.feedUrl }, credentials: { oauth2: { accessToken: c.feedToken } } },
    },
  };
}

/**
 * Exits on a signal. With an IPC channel, exits when the parent closes the channel, so that the parent can
 * drain first.
 */
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

async function run(options: SandboxOptions): Promise<void> {
  const sandbox = await startSandbox(options);
  endWhenTold(sandbox);
  process.stdout.write(`sandbox ready on ${sandbox.url}\n`);
  if (sandbox.httpsUrl !== undefined) process.stdout.write(`sandbox ready on ${sandbox.httpsUrl}\n`);
  process.send?.(readyMessage(sandbox, options.redirectUris !== undefined));
}

try {
  const options = optionsOf(process.argv.slice(2), process.env);
  if (options === undefined) {
    process.stdout.write(HELP);
  } else {
    await run(options);
  }
} catch (error) {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
