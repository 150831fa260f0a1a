import type { Readable } from "node:stream";
import type { HttpExchange } from "connect-rest-authorization";
import { clientKey } from "../call/client-key.ts";
import { failExchange } from "../listener/exchange.ts";
import { type HttpRequest, type HttpResponse, incoming, sendResponse } from "../listener/http.ts";
import type { Origin } from "../listener/origin.ts";
import { splitTarget } from "../listener/target.ts";
import { reject } from "../protocol/reject.ts";

/** Adapts a request and its response to the interface of the authorization endpoints. */
export class AuthorizationExchange implements HttpExchange {
  readonly request: HttpRequest;
  readonly path: string;
  readonly query: string;
  readonly client: string;
  private readonly response: HttpResponse;

  constructor(request: HttpRequest, response: HttpResponse, { client }: Origin) {
    const { path, query = "" } = splitTarget(request.url);
    this.request = request;
    this.response = response;
    this.path = path;
    this.query = query;
    this.client = client;
  }

  get body(): Readable {
    return incoming(this.request);
  }

  get clientKey(): string {
    return clientKey(this.client);
  }

  setHeader(name: string, value: string): void {
    this.response.setHeader(name, value);
  }

  send(
    status: number,
    headers: Readonly<Record<string, string | string[]>>,
    body: string | Uint8Array = "",
  ): void {
    sendResponse(this.response, status, headers, body);
  }

  fail(): void {
    failExchange(this.request, this.response, reject);
  }
}
