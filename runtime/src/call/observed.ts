import type { RestRequest } from "../adapter/rest-request.ts";
import { withHeaders } from "../request/with-headers.ts";
import { notify } from "./notify.ts";
import type { RequestEnd, RequestObserver, RequestReport, RestOptions } from "./options.ts";

/** Sends a request with the headers that an observer adds, and tells the observer how it ended. */
export async function observed<T extends { readonly status: number }>(
  onRequest: RestOptions["onRequest"],
  report: RequestReport,
  request: RestRequest,
  send: (request: RestRequest) => Promise<T>,
): Promise<T> {
  const observer = notify("onRequest", onRequest, report);
  const ended = (end: RequestEnd) => notify("onEnd", observer?.onEnd, end, onRequest);
  try {
    const sending = () => send(withAddedHeaders(request, observer?.headers));
    const response = await (observer?.run === undefined ? sending() : observer.run(sending));
    ended({ status: response.status, error: undefined });
    return response;
  } catch (error) {
    ended({ status: undefined, error });
    throw error;
  }
}

function withAddedHeaders(request: RestRequest, added: RequestObserver["headers"]): RestRequest {
  const more = Object.entries(added ?? {});
  if (more.length === 0) return request;
  const own = new Set(request.headers.map(([name]) => name));
  const others = more.filter(([name]) => !own.has(name));
  return others.length === 0 ? request : withHeaders(request, [...request.headers, ...others]);
}
