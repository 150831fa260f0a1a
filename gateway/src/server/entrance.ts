import type { DescService } from "@bufbuild/protobuf";
import type { CallerAuthorization } from "../authorization/caller-authorization.ts";
import { REQUEST_ID_HEADER, requestIdOf } from "../call/caller.ts";
import { createConsole } from "../console/console.ts";
import { consoleState } from "../console/console-state.ts";
import type { RecentFailures } from "../console/recent-failures.ts";
import type { Health } from "../health/health.ts";
import type { Limits } from "../limits.ts";
import { createGuard } from "../listener/guard.ts";
import { hostsOf } from "../listener/hosts.ts";
import type { Exchange, HttpRequest, HttpResponse } from "../listener/http.ts";
import { type Reject, UNCACHED } from "../listener/rejection.ts";
import { splitTarget } from "../listener/target.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { Cors } from "../pages/cors.ts";
import { createPages, type FindPage } from "../pages/pages.ts";
import { reject as rejectInWords } from "../protocol/reject.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { ServerOptions } from "./options.ts";
import type { Reports } from "./reports.ts";

/** The parts that serve requests. */
export interface EntranceParts {
  readonly options: ServerOptions;
  readonly host: string;
  readonly health: Health;
  readonly authorization: CallerAuthorization | undefined;
  readonly reports: Reports;
  readonly rpc: Rpc;
  readonly metrics: Metrics;
  readonly limits: Limits;
  /** The failed calls that the console shows; undefined if the console is not served. */
  readonly failures: RecentFailures | undefined;
  /** The services that the console shows. */
  readonly services: readonly DescService[];
}

/** The request headers of the Model Context Protocol. */
const MCP_HEADERS = ["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"];

/** The entry point of requests. */
export interface Entrance {
  /** Serves one request: rejects it, or passes it to the first part that accepts it. */
  serve(request: HttpRequest, response: HttpResponse, exchange: Exchange): void;
  /** Rejects a request. If a web page sent the request, lets the page read the reason. */
  readonly reject: Reject;
}

/** One year (RFC 6797 section 6.1), without subdomains, which may belong to other owners. */
const HTTPS_ONLY = "max-age=31536000";

export function createEntrance(parts: EntranceParts): Entrance {
  const { options, host, authorization, rpc, reports } = parts;
  const { onRejected } = reports;
  const mcp = options.mcpEndpoint?.(rpc.callOptions);
  const guard = createGuard({
    hosts: hostsOf(host, options.hosts),
    origins: options.origins ?? [],
    isShared: authorization?.isShared,
    needsHttps: authorization?.needsHttps,
    isStrict: (path) => path === mcp?.path,
  });
  const isHttps = authorization?.isHttps === true;
  const cors = corsOf(parts, mcp !== undefined);
  const pages = createPages(parts.health, consoleOf(parts), reports.onError);
  const reject: Reject = (request, response, rejection) => {
    cors.allow(request, response);
    rejectInWords(request, response, rejection);
  };
  const serve: Entrance["serve"] = (request, response, exchange) => {
    const requestId = requestIdOf(request.headers[REQUEST_ID_HEADER]);
    const { origin } = exchange;
    const rejection = guard(request, origin);
    const caller = { requestId, client: origin.client };
    // nearly all calls take this path, which sets all response headers together
    if (
      rejection === undefined &&
      !isHttps &&
      isPlainPost(request) &&
      rpc.serveUnary(request, response, caller, exchange)
    ) {
      return;
    }
    response.setHeader(REQUEST_ID_HEADER, requestId);
    if (isHttps && origin.scheme === "https") response.setHeader("strict-transport-security", HTTPS_ONLY);
    if (request.method === "GET" || request.method === "HEAD") {
      for (const [name, value] of Object.entries(UNCACHED)) response.setHeader(name, value);
    }
    if (rejection !== undefined) {
      onRejected(rejection.status);
      reject(request, response, rejection);
      return;
    }
    if (authorization?.serve(request, response, origin) === true) return;
    if (cors.serve(request, response)) return;
    if (mcp !== undefined && splitTarget(request.url).path === mcp.path) {
      mcp.serve(request, response, caller, authorization?.tools);
      return;
    }
    if (pages(request, response)) return;
    rpc.serve(request, response, caller, exchange);
  };
  return { serve, reject };
}

function corsOf({ options, authorization }: EntranceParts, hasMcp: boolean): Cors {
  const { origins = [], corsHeaders = [] } = options;
  return new Cors(origins, [
    ...corsHeaders,
    ...(authorization === undefined ? [] : ["authorization"]),
    ...(hasMcp ? MCP_HEADERS : []),
  ]);
}

function consoleOf({ options, failures, services, metrics, limits, authorization }: EntranceParts): FindPage {
  if (failures === undefined) return () => undefined;
  const { examples = {}, comments = async () => new Map(), explainRoutes, survey } = options;
  const hasExplain = explainRoutes !== undefined;
  const ofProcess = async () => ({
    processes: 1,
    metrics: await metrics.snapshot(),
    failures: failures.latest(),
  });
  const state = async () => consoleState((await survey?.()) ?? (await ofProcess()), limits);
  const authenticate =
    authorization && ((request: HttpRequest) => authorization.authenticate(request, undefined));
  return createConsole({ services, examples, comments, hasExplain, state, authenticate });
}

/**
 * Returns whether a request is a POST without an Origin header. Neither CORS nor the pages apply to such a
 * request.
 */
function isPlainPost({ method, headers }: HttpRequest): boolean {
  return method === "POST" && headers.origin === undefined;
}
