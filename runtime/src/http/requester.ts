import type { Dispatcher } from "undici";

/** What sends requests: a Dispatcher of undici, or what stands in for one. */
export type Requester = Pick<Dispatcher, "dispatch">;

/** A request as a Requester takes it. */
export type DispatchOptions = Dispatcher.DispatchOptions;

/** What is told of the response to it. */
export type DispatchHandler = Dispatcher.DispatchHandler;

/** What controls an exchange. */
export type DispatchController = Dispatcher.DispatchController;
