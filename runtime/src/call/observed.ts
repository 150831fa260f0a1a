import type { RestRequest } from "../adapter/rest-request.ts";
import { withHeaders } from "../request/with-headers.ts";
import { notify } from "./notify.ts";
import type { RequestObserver, RequestReport, RestOptions } from "./options.ts";

/** A request as its observer sees it. `ended` must be called once. */
export class Observation {
  /** The request, including the headers that the observer adds. */
  readonly request: RestRequest;
  private readonly onRequest: RestOptions["onRequest"];
  private readonly observer: RequestObserver | undefined;

  constructor(onRequest: RestOptions["onRequest"], report: RequestReport, request: RestRequest) {
    this.onRequest = onRequest;
    this.observer = notify("onRequest", onRequest, report);
    this.request = withAddedHeaders(request, this.observer?.headers);
  }

  /** Sends the request through the observer's `run`, if it is set. */
  run<T>(send: () => Promise<T>): Promise<T> {
    const { observer } = this;
    return observer?.run === undefined ? send() : observer.run(send);
  }

  /** Reports the status of the response, or the error. */
  ended(status: number | undefined, error: unknown): void {
    const { observer } = this;
    if (observer?.onEnd !== undefined) notify("onEnd", observer.onEnd, { status, error }, this.onRequest);
  }
}

/**
 * Sends a request with the headers that an observer adds, and reports the end of the request to the observer.
 */
export async function observed<T extends { readonly status: number }>(
  onRequest: RestOptions["onRequest"],
  report: RequestReport,
  request: RestRequest,
  send: (request: RestRequest) => Promise<T>,
): Promise<T> {
  const observation = new Observation(onRequest, report, request);
  let response: T;
  try {
    response = await observation.run(() => send(observation.request));
  } catch (error) {
    observation.ended(undefined, error);
    throw error;
  }
  observation.ended(response.status, undefined);
  return response;
}

function withAddedHeaders(request: RestRequest, added: RequestObserver["headers"]): RestRequest {
  if (added === undefined) return request;
  const more = Object.entries(added);
  if (more.length === 0) return request;
  const own = new Set(request.headers.map(([name]) => name));
  const others = more.filter(([name]) => !own.has(name));
  return others.length === 0 ? request : withHeaders(request, [...request.headers, ...others]);
}
