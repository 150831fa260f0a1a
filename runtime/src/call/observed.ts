import type { RestRequest } from "../adapter/rest-request.ts";
import { withHeaders } from "../request/with-headers.ts";
import { notify, type RequestObserver, type RequestReport, type RestOptions } from "./options.ts";

/** Sends a request with the headers that an observer adds, and tells the observer how it ended. */
export async function observed<T extends { readonly status: number }>(
  onRequest: RestOptions["onRequest"],
  report: RequestReport,
  request: RestRequest,
  send: (request: RestRequest) => Promise<T>,
): Promise<T> {
  const observer = observerOf(onRequest, report);
  try {
    const sending = () => send(withAddedHeaders(request, observer?.headers));
    const response = await (observer?.run === undefined ? sending() : observer.run(sending));
    notify(observer?.onEnd, { status: response.status, error: undefined });
    return response;
  } catch (error) {
    notify(observer?.onEnd, { status: undefined, error });
    throw error;
  }
}

function observerOf(onRequest: RestOptions["onRequest"], report: RequestReport): RequestObserver | undefined {
  try {
    return onRequest?.(report);
  } catch {
    // said in the documentation of the options
    return undefined;
  }
}

function withAddedHeaders(request: RestRequest, added: RequestObserver["headers"]): RestRequest {
  const more = Object.entries(added ?? {});
  if (more.length === 0) return request;
  const own = new Set(request.headers.map(([name]) => name));
  const others = more.filter(([name]) => !own.has(name));
  return others.length === 0 ? request : withHeaders(request, [...request.headers, ...others]);
}
