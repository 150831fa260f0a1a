import type { Callbacks } from "./callbacks.ts";
import { type HttpRequest, type HttpResponse, isHttp2, outgoing } from "./http.ts";

/** The requests in flight, by connection. */
export class InFlight {
  private readonly byConnection = new Map<object, Set<HttpResponse>>();

  /** Adds a request until its response closes; `onDone` gets how many are left on its connection. */
  add(
    request: HttpRequest,
    response: HttpResponse,
    callbacks: Callbacks,
    onDone: (left: number) => void,
  ): number {
    const connection = connectionOf(request);
    const responses = this.byConnection.get(connection) ?? new Set();
    responses.add(response);
    this.byConnection.set(connection, responses);
    callbacks.once(outgoing(response), "close", () => {
      responses.delete(response);
      if (responses.size === 0) this.byConnection.delete(connection);
      onDone(responses.size);
    });
    return responses.size;
  }

  /** Takes a request away before its response has closed. */
  remove(request: HttpRequest, response: HttpResponse): void {
    const connection = connectionOf(request);
    const responses = this.byConnection.get(connection);
    responses?.delete(response);
    if (responses?.size === 0) this.byConnection.delete(connection);
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

function connectionOf(request: HttpRequest): object {
  return isHttp2(request) ? (request.stream.session ?? request.stream) : request.socket;
}
