import type { DescService } from "@bufbuild/protobuf";
import type { CallerAuthorization } from "../authorization/caller-authorization.ts";
import { REQUEST_ID_HEADER, requestIdOf } from "../call/caller.ts";
import type { Health } from "../health/health.ts";
import { createGuard } from "../listener/guard.ts";
import { hostsOf } from "../listener/hosts.ts";
import type { Exchange, HttpRequest, HttpResponse } from "../listener/http.ts";
import { type Refuse, UNCACHED } from "../listener/refusal.ts";
import type { Cors } from "../pages/cors.ts";
import { createPages } from "../pages/pages.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { ServerOptions } from "./options.ts";
import type { Reports } from "./reports.ts";

/** What an entrance is made of. */
export interface EntranceParts {
  readonly options: ServerOptions;
  readonly host: string;
  readonly health: Health;
  readonly authorization: CallerAuthorization | undefined;
  readonly reports: Reports;
  readonly rpc: Rpc;
  readonly cors: Cors;
  readonly refuse: Refuse;
  /** What the start page shows. */
  readonly services: readonly DescService[];
}

/** Serves one request: refused, or by the first part that it is for. */
export type Entrance = (request: HttpRequest, response: HttpResponse, exchange: Exchange) => void;

export function createEntrance(parts: EntranceParts): Entrance {
  const { options, host, authorization, rpc, reports, cors, refuse } = parts;
  const { onRejected } = reports;
  const guard = createGuard({
    hosts: hostsOf(host, options.hosts),
    origins: options.origins ?? [],
    isShared: authorization?.isShared,
  });
  const pages = pagesOf(parts);
  return (request, response, exchange) => {
    const requestId = requestIdOf(request.headers[REQUEST_ID_HEADER]);
    const { origin } = exchange;
    const refusal = guard(request, origin);
    const caller = { requestId, client: origin.client };
    // nearly all calls, which get all of their headers at once
    if (
      refusal === undefined &&
      isPlainPost(request) &&
      rpc.serveUnary(request, response, caller, exchange)
    ) {
      return;
    }
    response.setHeader(REQUEST_ID_HEADER, requestId);
    if (request.method === "GET" || request.method === "HEAD") {
      for (const [name, value] of Object.entries(UNCACHED)) response.setHeader(name, value);
    }
    if (refusal !== undefined) {
      onRejected(refusal.status);
      refuse(request, response, refusal);
      return;
    }
    if (authorization?.serve(request, response, origin) === true) return;
    if (cors.serve(request, response) || pages(request, response, origin)) return;
    rpc.serve(request, response, caller, exchange);
  };
}

function pagesOf({
  options,
  authorization,
  health,
  services,
}: EntranceParts): ReturnType<typeof createPages> {
  const start = {
    services,
    comments: options.comments ?? new Map(),
    examples: options.examples ?? {},
    hasReflection: options.reflection ?? true,
  };
  const hasPages = options.pages !== false && authorization?.open.pages !== false;
  return createPages(hasPages ? start : undefined, health);
}

/** Whether a request is no page's, which CORS has something to say about, and nothing that is read by GET. */
function isPlainPost({ method, headers }: HttpRequest): boolean {
  return method === "POST" && headers.origin === undefined;
}
