import { EventEmitter } from "node:events";
import type Provider from "oidc-provider";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { createMemoryExchange, type WholeRequest, type WholeResponse } from "./memory-exchange.ts";
import { OAuthError } from "./oauth-error.ts";
import { runWork, type WorkContext } from "./work.ts";

/** The time limit for a response of the engine, in milliseconds. It is longer than the store's time limit. */
const TIMEOUT_MS = 20_000;

/** Runs requests through the engine. */
export class Engine {
  readonly provider: Provider;
  readonly store: Store;
  /** The origin that the engine sees, regardless of the Host header of a request. */
  readonly origin: URL;
  private readonly callback: ReturnType<Provider["callback"]>;
  private readonly onError: (error: unknown) => void;

  /** @param onError called for defects, and for failures of the store */
  constructor(provider: Provider, store: Store, onError: (error: unknown) => void) {
    this.provider = provider;
    this.store = store;
    this.origin = new URL(provider.issuer);
    this.onError = onError;
    this.callback = provider.callback();
    // without a listener, Koa prints errors to the console
    EventEmitter.prototype.on.call(provider, "error", onError);
    provider.on("server_error", (_context, error) => onError(error));
  }

  /**
   * Responds to a request. By the time the response is available, either all changes that the request caused
   * have been stored, or none of them.
   *
   * @throws OAuthError if the store or the engine fails
   */
  async handle(request: WholeRequest, context: WorkContext = {}): Promise<WholeResponse> {
    return this.guarded(() => this.run(request), { ...context, isLost: ({ status }) => status >= 500 });
  }

  /** Runs code that uses the engine's models, with the same guarantee as `handle`. */
  async guarded<T>(
    work: () => Promise<T>,
    options: WorkContext & { readonly isLost?: (result: T) => boolean } = {},
  ): Promise<T> {
    try {
      return await runWork(this.store, work, options);
    } catch (error) {
      throw this.failure(error);
    }
  }

  private failure(error: unknown): unknown {
    if (error instanceof OAuthError) return error;
    this.onError(error);
    return isUnavailable(error)
      ? new OAuthError(
          503,
          "temporarily_unavailable",
          "the store of the server is not available; try again",
          {
            "retry-after": "1",
          },
        )
      : new OAuthError(500, "server_error", "the server failed unexpectedly");
  }

  private async run(request: WholeRequest): Promise<WholeResponse> {
    const { request: incoming, response, ended } = createMemoryExchange(request, this.origin);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error("the engine did not respond in time")), TIMEOUT_MS);
    });
    try {
      const handled = this.callback(incoming, response).then(() => ended);
      return await Promise.race([handled, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof StoreError || (error instanceof Error && error.cause instanceof StoreError);
}
