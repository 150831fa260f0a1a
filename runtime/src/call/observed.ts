import type { RestRequest } from "../adapter/rest-request.ts";
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
    const response = await send(withHeaders(request, observer?.headers));
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

function withHeaders(request: RestRequest, added: RequestObserver["headers"]): RestRequest {
  const { verb, path, queryString, headers, oauth1Params, body } = request;
  const more = Object.entries(added ?? {});
  if (more.length === 0) return request;
  const own = new Set(headers.map(([name]) => name));
  const others = more.filter(([name]) => !own.has(name));
  if (others.length === 0) return request;
  return { verb, path, queryString, headers: [...headers, ...others], oauth1Params, body };
}
