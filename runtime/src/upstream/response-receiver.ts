import type { BudgetedBody } from "../http/body-budget.ts";
import type { Exchange, ExchangeEnd } from "../http/exchange.ts";
import type { Prepared, Responses } from "./responses.ts";
import type { ResponseEnd, UpstreamCall, UpstreamResponse } from "./upstream.ts";

/** Receives the response to a started request. */
export class ResponseReceiver implements ExchangeEnd {
  private readonly responses: Responses;
  private readonly end: ResponseEnd;
  private readonly held: BudgetedBody;
  private readonly call: UpstreamCall;
  private readonly prepared: Prepared;

  constructor(
    responses: Responses,
    end: ResponseEnd,
    held: BudgetedBody,
    call: UpstreamCall,
    prepared: Prepared,
  ) {
    this.responses = responses;
    this.end = end;
    this.held = held;
    this.call = call;
    this.prepared = prepared;
  }

  exchanged(exchange: Exchange): void {
    let response: UpstreamResponse | Promise<UpstreamResponse>;
    try {
      response = this.responses.whole(exchange, this.call, this.prepared);
    } catch (error) {
      this.failed(error);
      return;
    }
    if (response instanceof Promise) {
      response.then(
        (whole) => this.responded(whole),
        (error: unknown) => this.failed(error),
      );
    } else {
      this.responded(response);
    }
  }

  failed(error: unknown): void {
    this.held.release();
    this.end.failed(this.responses.translation(error));
  }

  private responded(response: UpstreamResponse): void {
    this.held.release();
    this.end.responded(response);
  }
}
