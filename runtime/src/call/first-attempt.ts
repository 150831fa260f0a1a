import type { DescMethod } from "@bufbuild/protobuf";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { Secret } from "../text/secret.ts";
import type {
  CancelRequest,
  ResponseEnd,
  Upstream,
  UpstreamCall,
  UpstreamResponse,
} from "../upstream/upstream.ts";
import type { CallContext } from "./call-context.ts";

/** What the first attempt of a request is made of. */
export interface FirstParts {
  readonly context: CallContext;
  readonly upstream: Upstream;
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  readonly caller: string | undefined;
  readonly onSent: () => void;
  readonly onSecrets: (secrets: readonly Secret[]) => void;
}

/**
 * Sends a request for which nothing has to be waited, the first time. It is one object with one promise, where the general
 * way has both for each of its steps, and asks for no AbortSignal where the context can do without.
 */
export function sendFirst(parts: FirstParts): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => new FirstAttempt(parts, resolve, reject).start());
}

class FirstAttempt implements UpstreamCall, ResponseEnd {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  readonly caller: string | undefined;
  readonly onSent: () => void;
  readonly onSecrets: (secrets: readonly Secret[]) => void;
  private readonly context: CallContext;
  private readonly upstream: Upstream;
  private readonly resolve: (response: UpstreamResponse) => void;
  private readonly reject: (error: unknown) => void;
  private cancelRequest: CancelRequest | undefined;
  private isOver = false;

  constructor(
    parts: FirstParts,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.method = parts.method;
    this.rules = parts.rules;
    this.request = parts.request;
    this.caller = parts.caller;
    this.onSent = parts.onSent;
    this.onSecrets = parts.onSecrets;
    this.context = parts.context;
    this.upstream = parts.upstream;
    this.resolve = resolve;
    this.reject = reject;
  }

  get header(): () => Headers {
    return this.context.header;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  start(): void {
    this.cancelRequest = this.upstream.start(this, this);
    // a closed upstream fails at once
    if (!this.isOver) this.listen();
  }

  responded(response: UpstreamResponse): void {
    this.over();
    this.resolve(response);
  }

  failed(error: unknown): void {
    this.over();
    this.reject(error);
  }

  private over(): void {
    this.isOver = true;
    const { context } = this;
    if (context.onCancel === undefined) {
      context.signal.removeEventListener("abort", this.onAbort);
    } else {
      context.onCancel(undefined);
    }
  }

  private listen(): void {
    const { context } = this;
    if (context.onCancel === undefined) {
      context.signal.addEventListener("abort", this.onAbort, { once: true });
    } else {
      context.onCancel(this.cancel);
    }
  }

  private readonly onAbort = (): void => this.cancel(this.context.signal.reason);

  private readonly cancel = (reason: unknown): void => this.cancelRequest?.(reason);
}
