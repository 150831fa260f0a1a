import { protocolOf } from "../call/protocol.ts";
import type { Health } from "../health/health.ts";
import type { HttpRequest, HttpResponse } from "../listener/http.ts";
import type { Origin } from "../listener/origin.ts";
import { UNCACHED } from "../listener/rejection.ts";
import { reject } from "../protocol/reject.ts";
import { show } from "../text/show.ts";
import { createPageTemplate, type Parts, sendParts, textParts } from "./page-parts.ts";
import { type StartPageOptions, startPage } from "./start-page.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly parts: Parts;
}

/**
 * Creates a function that serves `/`, `/healthz` and `/readyz`, and returns whether a request was for one of
 * them.
 *
 * @param start the services on the start page; undefined for no start page
 */
export function createPages(
  start: StartPageOptions | undefined,
  health: Health,
): (request: HttpRequest, response: HttpResponse, origin: Origin) => boolean {
  const pages = new Map<string, (origin: Origin) => Page>([
    ["/healthz", () => textPage(200, "alive")],
    ["/readyz", () => (health.isDraining ? textPage(503, "draining") : textPage(200, "ready"))],
  ]);
  if (start !== undefined) {
    const template = createPageTemplate((url) => startPage(start, url));
    pages.set("/", (origin) => htmlPage(template(origin)));
  }
  return (request, response, origin) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const page = pages.get(path);
    // for calls of the other protocols, the error of the protocol reports that the method does not exist
    if (page === undefined || protocolOf(request.headers["content-type"]) !== "connect") return false;
    if (request.method === "GET" || request.method === "HEAD") {
      send(request, response, page(origin));
    } else {
      rejectMethod(path, request, response);
    }
    return true;
  };
}

function send(request: HttpRequest, response: HttpResponse, page: Page): void {
  const headers = {
    "content-type": page.contentType,
    "content-length": String(page.parts.reduce((sum, part) => sum + part.length, 0)),
    "content-security-policy": CONTENT_SECURITY_POLICY,
    ...UNCACHED,
  };
  sendParts(response, page.status, headers, request.method === "HEAD" ? [] : page.parts);
}

function rejectMethod(path: string, request: HttpRequest, response: HttpResponse): void {
  const message = `${path} takes GET; the request is a ${show(request.method ?? "")}`;
  reject(request, response, { status: 405, code: "unimplemented", message, headers: { allow: "GET, HEAD" } });
}

function htmlPage(parts: Parts): Page {
  return { status: 200, contentType: "text/html; charset=utf-8", parts };
}

function textPage(status: number, text: string): Page {
  return { status, contentType: "text/plain; charset=utf-8", parts: textParts(`${text}\n`) };
}
