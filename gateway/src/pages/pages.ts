import { protocolOf } from "../call/protocol.ts";
import type { Health } from "../health/health.ts";
import { failExchange } from "../listener/exchange.ts";
import type { HttpRequest, HttpResponse } from "../listener/http.ts";
import { reject } from "../protocol/reject.ts";
import { show } from "../text/show.ts";
import { Page } from "./page.ts";

/** Returns a function that builds the page at a path; undefined if there is no page. */
export type FindPage = (path: string) => BuildPage | undefined;

type BuildPage = (request: HttpRequest) => Page | Promise<Page>;

/**
 * Creates a function that serves `/healthz`, `/readyz` and further pages, and returns whether a request was
 * for one of them.
 */
export function createPages(
  health: Health,
  findOther: FindPage,
  onError: (error: unknown) => void,
): (request: HttpRequest, response: HttpResponse) => boolean {
  const find: FindPage = (path) => healthPage(path, health) ?? findOther(path);
  return (request, response) => {
    // for calls of the other protocols, the error of the protocol reports that the method does not exist
    if (protocolOf(request.headers["content-type"]) !== "connect") return false;
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const build = find(path);
    if (build === undefined) return false;
    if (request.method === "GET" || request.method === "HEAD") {
      send(build, request, response).catch((error: unknown) => {
        onError(error);
        failExchange(request, response, reject);
      });
    } else {
      rejectMethod(path, request, response);
    }
    return true;
  };
}

async function send(build: BuildPage, request: HttpRequest, response: HttpResponse): Promise<void> {
  const page = build(request);
  await (page instanceof Page ? page : await page).send(request, response);
}

function healthPage(path: string, health: Health): (() => Page) | undefined {
  if (path === "/healthz") return () => textPage(200, "alive");
  if (path !== "/readyz") return undefined;
  return () => (health.isDraining ? textPage(503, "draining") : textPage(200, "ready"));
}

function rejectMethod(path: string, request: HttpRequest, response: HttpResponse): void {
  const message = `${path} takes GET; the request is a ${show(request.method ?? "")}`;
  reject(request, response, { status: 405, code: "unimplemented", message, headers: { allow: "GET, HEAD" } });
}

function textPage(status: number, text: string): Page {
  return new Page(status, "text/plain; charset=utf-8", `${text}\n`);
}
