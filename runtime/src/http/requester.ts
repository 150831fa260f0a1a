import type { Dispatcher } from "undici";

/** A client that sends requests: an undici Dispatcher, or a substitute. */
export type Requester = Pick<Dispatcher, "dispatch">;

/** The key of a request's caller: a symbol, which other Requesters ignore. */
export const CALLER: unique symbol = Symbol("caller");

/** A request as a Requester takes it. */
export type DispatchOptions = Dispatcher.DispatchOptions & { [CALLER]?: string | undefined };

/** Receives the response to a request. */
export type DispatchHandler = Dispatcher.DispatchHandler;

/** A handler that copies the bytes that it keeps. */
export interface BorrowingHandler extends DispatchHandler {
  /** Called in place of `onResponseData`: the chunk is overwritten as soon as this returns. */
  onBorrowedData(controller: DispatchController, chunk: Uint8Array): void;
}

/** Controls an exchange. */
export type DispatchController = Dispatcher.DispatchController;
