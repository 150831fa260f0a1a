import type { Health } from "../health/health.ts";
import { type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";
import type { Origin } from "../listener/proxies.ts";
import { sendRefusal, UNCACHED } from "../listener/refusal.ts";
import { show } from "../text/show.ts";
import { type StartPageOptions, startPage } from "./start-page.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Serves `/`, `/healthz` and `/readyz`; returns whether the request was for one of them. */
export function createPages(
  start: StartPageOptions,
  health: Health,
): (request: HttpRequest, response: HttpResponse, origin: Origin) => boolean {
  const pages = new Map<string, (origin: Origin) => Page>([
    ["/", ({ scheme, authority }) => htmlPage(startPage(start, `${scheme}://${authority}`))],
    ["/healthz", () => textPage(200, "alive")],
    ["/readyz", () => (health.isDraining ? textPage(503, "draining") : textPage(200, "ready"))],
  ]);
  return (request, response, origin) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const page = pages.get(path);
    if (page === undefined) return false;
    if (request.method === "GET" || request.method === "HEAD") {
      send(request, response, page(origin));
    } else {
      refuseMethod(path, request, response);
    }
    return true;
  };
}

function send(request: HttpRequest, response: HttpResponse, page: Page): void {
  const headers = {
    "content-type": page.contentType,
    "content-length": String(Buffer.byteLength(page.body)),
    "content-security-policy": CONTENT_SECURITY_POLICY,
    ...UNCACHED,
  };
  sendResponse(response, page.status, headers, request.method === "HEAD" ? "" : page.body);
}

function refuseMethod(path: string, request: HttpRequest, response: HttpResponse): void {
  response.setHeader("allow", "GET, HEAD");
  const message = `${path} takes GET; the request is a ${show(request.method ?? "")}`;
  sendRefusal(response, { status: 405, code: "invalid_argument", message });
}

function htmlPage(body: string): Page {
  return { status: 200, contentType: "text/html; charset=utf-8", body };
}

function textPage(status: number, text: string): Page {
  return { status, contentType: "text/plain; charset=utf-8", body: `${text}\n` };
}
