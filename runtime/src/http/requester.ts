import type { Dispatcher } from "undici";

/** What sends requests: a Dispatcher of undici, or what stands in for one. */
export type Requester = Pick<Dispatcher, "dispatch">;

/** Whom a request is made for: a symbol, which no other Requester sees. */
export const CALLER: unique symbol = Symbol("caller");

/** A request as a Requester takes it. */
export type DispatchOptions = Dispatcher.DispatchOptions & { [CALLER]?: string | undefined };

/** What is told of the response to it. */
export type DispatchHandler = Dispatcher.DispatchHandler;

/** A handler that copies what it needs. */
export interface BorrowingHandler extends DispatchHandler {
  /** In place of `onResponseData`: the chunk will be written to as soon as this returns. */
  onBorrowedData(controller: DispatchController, chunk: Uint8Array): void;
}

/** What controls an exchange. */
export type DispatchController = Dispatcher.DispatchController;
