import type http from "node:http";
import type { OriginLoad } from "connect-rest-runtime/internal";
import { isLoopback } from "../listener/hosts.ts";
import { UNCACHED } from "../listener/rejection.ts";
import { type SidePlace, type SideServer, sendText, startSideServer } from "../listener/side-server.ts";
import type { SeenDifferences } from "../log/difference-log.ts";
import type { Logger } from "../log/logger.ts";
import { getLogLevel, putLogLevel } from "./log-level.ts";
import { sendCpuProfile, sendHeapSnapshot } from "./profiles.ts";

/** The warning for diagnostics on a non-loopback address. */
export const OPEN_DIAGNOSTICS =
  "diagnostics are served beyond loopback: anyone who reaches them can read the memory of the process, with its secrets";

/** The state of the gateway's upstream calls that the diagnostics show. */
interface Shown {
  readonly loads: () => readonly OriginLoad[];
  readonly differences: () => SeenDifferences;
}

/** Responds to requests for one path. Rejects only because of a defect. */
type Diagnose = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> | void;

/**
 * Serves diagnostics of a running process to operators: heap snapshots, CPU profiles, the requests per
 * upstream origin, the differences of responses, and the log level. Requests from web pages get 403.
 *
 * @throws Error if the server cannot listen on the port
 */
export async function startDiagnosticsServer(
  log: Logger,
  place: SidePlace,
  { loads, differences }: Shown,
): Promise<SideServer> {
  const paths: Readonly<Record<string, Diagnose>> = {
    "GET /heap-snapshot": oneAtATime(sendHeapSnapshot),
    "GET /cpu-profile": oneAtATime(sendCpuProfile),
    "GET /origins": (_, response) => sendText(response, 200, originsText(loads())),
    "GET /differences": (_, response) => sendText(response, 200, JSON.stringify(differences(), undefined, 2)),
    "GET /log-level": (_, response) => getLogLevel(log, response),
    "PUT /log-level": (request, response) => putLogLevel(log, request, response),
  };
  const { host = "127.0.0.1" } = place;
  const server = await startSideServer(place, (request, response) => {
    const diagnose = paths[`${request.method} ${request.url?.split("?", 1)[0]}`];
    if (isFromPage(request)) {
      sendText(response, 403, "pages of browsers are not served here");
    } else if (diagnose === undefined) {
      sendText(response, 404, `served here are ${Object.keys(paths).join(", ")}`);
    } else {
      void run(diagnose, request, response, log);
    }
  });
  if (!isLoopback(host)) log.warn({ host }, OPEN_DIAGNOSTICS);
  return server;
}

/** Returns JSON; an origin without a limit has no `limit` key. */
function originsText(loads: readonly OriginLoad[]): string {
  return JSON.stringify(
    loads,
    (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? undefined : value),
    2,
  );
}

async function run(
  diagnose: Diagnose,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  log: Logger,
): Promise<void> {
  try {
    await diagnose(request, response);
  } catch (error) {
    log.error({ cause: String(error) }, "diagnostics failed");
    if (response.headersSent) {
      response.destroy();
    } else {
      response.writeHead(500, UNCACHED).end();
    }
  }
}

/**
 * Limits diagnoses to one at a time: each takes memory and time, and a second one would slow down the first.
 */
function oneAtATime(diagnose: Diagnose): Diagnose {
  let isRunning = false;
  return async (request, response) => {
    if (isRunning) {
      sendText(response, 409, "one is running; try again when it is done");
      return;
    }
    isRunning = true;
    try {
      await diagnose(request, response);
    } finally {
      isRunning = false;
    }
  };
}

/**
 * Returns whether a page sent the request. Browsers send `none` for an address that the user typed; other
 * tools send no such header.
 */
function isFromPage({ headers }: http.IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin !== undefined || (site !== undefined && site !== "none");
}
