import { type HttpRequest, type HttpResponse, isHttp2 } from "./http.ts";

/** The responses in flight, by connection. */
export class InFlight {
  /** A connection keeps its list, empty or not, as long as it is there. */
  private readonly byConnection = new WeakMap<object, HttpResponse[]>();

  /** Adds a response until it is removed; returns how many its connection has. */
  add(connection: object, response: HttpResponse): number {
    const responses = this.byConnection.get(connection);
    if (responses !== undefined) return responses.push(response);
    this.byConnection.set(connection, [response]);
    return 1;
  }

  /** Removes a response, which is closed or detached; returns how many its connection has left. */
  remove(connection: object, response: HttpResponse): number {
    const responses = this.byConnection.get(connection) ?? [];
    const at = responses.indexOf(response);
    if (at >= 0) responses.splice(at, 1);
    return responses.length;
  }

  /** The responses that a connection still owes. */
  owedBy(connection: object): readonly HttpResponse[] {
    return this.byConnection.get(connection) ?? [];
  }
}

/** The connection of a request, as long as it has one. */
export function connectionOf(request: HttpRequest): object {
  return isHttp2(request) ? (request.stream.session ?? request.stream) : request.socket;
}
