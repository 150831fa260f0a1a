import { type HttpRequest, type HttpResponse, isHttp2 } from "./http.ts";

/** The requests in flight, by connection. */
export class InFlight {
  private readonly byConnection = new Map<object, Set<HttpResponse>>();

  /** Adds a response until it is removed; returns how many its connection has. */
  add(connection: object, response: HttpResponse): number {
    const responses = this.byConnection.get(connection) ?? new Set();
    responses.add(response);
    this.byConnection.set(connection, responses);
    return responses.size;
  }

  /** Removes a response, which is closed or parked; returns how many its connection has left. */
  remove(connection: object, response: HttpResponse): number {
    const responses = this.byConnection.get(connection);
    if (responses === undefined) return 0;
    responses.delete(response);
    if (responses.size === 0) this.byConnection.delete(connection);
    return responses.size;
  }

  /** The responses that a connection still owes. */
  owedBy(connection: object): ReadonlySet<HttpResponse> {
    return this.byConnection.get(connection) ?? new Set();
  }

  /** All responses that are still owed. */
  *responses(): Generator<HttpResponse> {
    for (const responses of this.byConnection.values()) yield* responses;
  }
}

/** The connection of a request, as long as it has one. */
export function connectionOf(request: HttpRequest): object {
  return isHttp2(request) ? (request.stream.session ?? request.stream) : request.socket;
}
