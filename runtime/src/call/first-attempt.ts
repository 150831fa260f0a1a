import type { DescMethod } from "@bufbuild/protobuf";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { Permit } from "../breaker/breaker.ts";
import type { Secret } from "../text/secret.ts";
import type {
  ResponseEnd,
  StartedRequest,
  Upstream,
  UpstreamCall,
  UpstreamResponse,
} from "../upstream/upstream.ts";
import type { CallContext } from "./call-context.ts";
import type { CallProgress } from "./call-progress.ts";
import type { SentSecrets } from "./sent-secrets.ts";

/** The input of the first attempt of a request. */
export interface FirstParts {
  readonly context: CallContext;
  readonly upstream: Upstream;
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  readonly caller: string | undefined;
  readonly permit: Permit;
  readonly progress: CallProgress;
  readonly sentSecrets: SentSecrets;
}

/**
 * Sends the first attempt of a request that can be sent immediately. This code path allocates one object and
 * one promise, whereas the general path allocates both for each of its steps. It also needs no AbortSignal if
 * the context works without one.
 */
export function sendFirst(parts: FirstParts): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => new FirstAttempt(parts, resolve, reject).start());
}

class FirstAttempt implements UpstreamCall, ResponseEnd {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  readonly caller: string | undefined;
  private readonly parts: FirstParts;
  private readonly resolve: (response: UpstreamResponse) => void;
  private readonly reject: (error: unknown) => void;
  private started: StartedRequest | undefined;
  private isOver = false;
  private onAbort: (() => void) | undefined;

  constructor(
    parts: FirstParts,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.method = parts.method;
    this.rules = parts.rules;
    this.request = parts.request;
    this.caller = parts.caller;
    this.parts = parts;
    this.resolve = resolve;
    this.reject = reject;
  }

  get header(): () => Headers {
    return this.parts.context.header;
  }

  get signal(): AbortSignal {
    return this.parts.context.signal;
  }

  onSent(): void {
    this.parts.progress.counts.attempts++;
    this.parts.permit.sent();
  }

  onSecrets(secrets: readonly Secret[]): void {
    this.parts.sentSecrets.add(secrets);
  }

  start(): void {
    this.started = this.parts.upstream.start(this, this);
    // A closed upstream fails immediately
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
    const { context } = this.parts;
    if (context.onCancel !== undefined) {
      context.onCancel(undefined);
    } else if (this.onAbort !== undefined) {
      context.signal.removeEventListener("abort", this.onAbort);
    }
  }

  private listen(): void {
    const { context } = this.parts;
    if (context.onCancel === undefined) {
      this.onAbort = () => this.started?.abort(context.signal.reason);
      context.signal.addEventListener("abort", this.onAbort, { once: true });
    } else {
      context.onCancel((reason) => this.started?.abort(reason));
    }
  }
}
