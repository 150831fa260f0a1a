import type { Dispatcher } from "undici";

/** A client that sends requests: an undici Dispatcher, or a substitute. */
export type Requester = Pick<Dispatcher, "dispatch">;

/** The key of the option with a request's caller: a symbol, which other Requesters ignore. */
export const CALLER: unique symbol = Symbol("caller");

/** The options of a request to a Requester. */
export type DispatchOptions = Dispatcher.DispatchOptions & { [CALLER]?: string | undefined };

/** Receives the response to a request. */
export type DispatchHandler = Dispatcher.DispatchHandler;

/** A handler that copies the bytes of a chunk that it needs later. */
export interface BorrowingHandler extends DispatchHandler {
  /** Called in place of `onResponseData`. The chunk is overwritten when this function returns. */
  onBorrowedData(controller: DispatchController, chunk: Uint8Array): void;
}

/** Controls a running exchange. */
export type DispatchController = Dispatcher.DispatchController;
