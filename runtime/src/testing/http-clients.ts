import { Agent, type Dispatcher, MockAgent, fetch as undiciFetch } from "undici";
import type { ClientOptions } from "../upstream/supplied-client.ts";

/** A client that sends requests to an upstream. */
export interface HttpClient extends AsyncDisposable {
  /** The options that select this client for an upstream, or for a transport. */
  readonly options: ClientOptions;
}

const NOTHING_TO_CLOSE = () => Promise.resolve();

function dispatching(
  make: () => Dispatcher,
  wrap = (dispatcher: Dispatcher): ClientOptions => ({ dispatcher }),
) {
  return (): HttpClient => {
    const dispatcher = make();
    return { options: wrap(dispatcher), [Symbol.asyncDispose]: () => dispatcher.close() };
  };
}

/** Every kind of client that programs may use. */
export const HTTP_CLIENTS: Readonly<Record<string, () => HttpClient>> = {
  "our own connections": () => ({ options: {}, [Symbol.asyncDispose]: NOTHING_TO_CLOSE }),
  "an Agent": dispatching(() => new Agent()),
  "a MockAgent that lets requests through": dispatching(() => {
    const agent = new MockAgent();
    agent.enableNetConnect();
    return agent;
  }),
  "a dispatcher of undici 6": dispatching(
    () => new Agent(),
    (agent) => ({ dispatcher: new OldDispatcher(agent) }),
  ),
  "the fetch of Node.js": () => ({ options: { fetch }, [Symbol.asyncDispose]: NOTHING_TO_CLOSE }),
  "the fetch of undici": dispatching(
    () => new Agent(),
    (dispatcher) => ({
      fetch: (address, init) => undiciFetch(address, { ...init, dispatcher }),
    }),
  ),
};

/** The handler methods that undici called up to version 6. */
interface OldHandler {
  onConnect(abort: (reason?: Error) => void, context: object): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void, text: string): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(trailers: readonly Buffer[]): void;
  onError(error: Error): void;
}

/** A dispatcher that calls only the handler methods of undici 6. */
class OldDispatcher {
  private readonly agent: Dispatcher;

  constructor(agent: Dispatcher) {
    this.agent = agent;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: OldHandler): boolean {
    return this.agent.dispatch(options, {
      onRequestStart: (controller) => handler.onConnect((reason) => controller.abort(reason as Error), {}),
      onResponseStart: (controller, status, _headers, text = "") => {
        const raw = (controller.rawHeaders ?? []) as readonly Buffer[];
        const headers = raw.map((each) => Buffer.from(each));
        if (!handler.onHeaders(status, headers, () => controller.resume(), text)) controller.pause();
      },
      onResponseData: (controller, chunk) => {
        if (!handler.onData(chunk)) controller.pause();
      },
      onResponseEnd: () => handler.onComplete([]),
      onResponseError: (_controller, error) => handler.onError(error),
    });
  }
}
