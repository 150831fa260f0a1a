import type { CallerAuthorization } from "../authorization/caller-authorization.ts";
import { REQUEST_ID_HEADER, requestIdOf } from "../call/caller.ts";
import type { createGuard } from "../listener/guard.ts";
import type { Exchange, HttpRequest, HttpResponse } from "../listener/http.ts";
import { UNCACHED } from "../listener/refusal.ts";
import type { createCors } from "../pages/cors.ts";
import type { createPages } from "../pages/pages.ts";
import { refuse } from "../protocol/refuse.ts";
import type { Rpc } from "../rpc/rpc.ts";

/** What may serve a request, in this order. */
export interface EntranceParts {
  readonly guard: ReturnType<typeof createGuard>;
  readonly authorization: CallerAuthorization | undefined;
  readonly cors: ReturnType<typeof createCors>;
  readonly pages: ReturnType<typeof createPages>;
  readonly rpc: Rpc;
  readonly onRejected: (status: number) => void;
}

/** Serves one request: refused, or by the first part that it is for. */
export type Entrance = (request: HttpRequest, response: HttpResponse, exchange: Exchange) => void;

export function createEntrance({
  guard,
  authorization,
  cors,
  pages,
  rpc,
  onRejected,
}: EntranceParts): Entrance {
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
    if (cors(request, response) || pages(request, response, origin)) return;
    rpc.serve(request, response, caller, exchange);
  };
}

/** Whether a request is no page's, which CORS has something to say about, and nothing that is read by GET. */
function isPlainPost({ method, headers }: HttpRequest): boolean {
  return method === "POST" && headers.origin === undefined;
}
