import { type HttpRequest, type HttpResponse, isHttp2 } from "./http.ts";

/** The responses in flight, by connection. */
export class InFlight {
  /** A connection keeps its list for its whole lifetime, even when the list is empty. */
  private readonly byConnection = new WeakMap<object, HttpResponse[]>();

  /** Adds a response; returns the number of responses on its connection. */
  add(connection: object, response: HttpResponse): number {
    const responses = this.byConnection.get(connection);
    if (responses !== undefined) return responses.push(response);
    this.byConnection.set(connection, [response]);
    return 1;
  }

  /** Removes a closed or detached response; returns the number of remaining responses on its connection. */
  remove(connection: object, response: HttpResponse): number {
    const responses = this.byConnection.get(connection) ?? [];
    const at = responses.indexOf(response);
    if (at >= 0) responses.splice(at, 1);
    return responses.length;
  }

  /** Returns the responses on a connection that have not been sent yet. */
  owedBy(connection: object): readonly HttpResponse[] {
    return this.byConnection.get(connection) ?? [];
  }
}

/** Returns an object that identifies the connection of a request. */
export function connectionOf(request: HttpRequest): object {
  return isHttp2(request) ? (request.stream.session ?? request.stream) : request.socket;
}
