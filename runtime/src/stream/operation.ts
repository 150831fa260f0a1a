import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  holdsExactly,
  isJsonObject,
  type JsonValue,
  stringifyJson,
  valueAt,
} from "connect-rest-codec/internal";
import type { OperationAdapter, UnaryAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules, OperationRule } from "../adapter/rules.ts";
import { messageOf, noteIn } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import { send } from "../call/send.ts";
import { namesOf } from "../errors/names.ts";
import { reasonOf, restError } from "../errors/rest-error.ts";
import { retryDelayMs, retryDelayOf } from "../errors/retry-info.ts";
import { NO_REQUEST } from "../request/with-headers.ts";
import { payloadOf } from "../response/envelope.ts";
import { hrefAt, LinkRejected } from "../response/href.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { percentEncode } from "../text/percent-encode.ts";
import { sleep } from "../time/abort.ts";
import { linkedRequest } from "./page-link.ts";

const FIRST_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 30_000;
/** The longest wait that an upstream may request, in milliseconds. */
const MAX_WAIT_MS = 24 * 3600 * 1_000;
const MAX_POLLS = 1_000;
/** The maximum number of consecutive polls with temporary failures. */
const MAX_FAILED_POLLS = 10;
/**
 * The status of an accepted request. Responses to status polls, and redirects to the result, may also have
 * this status.
 */
const ACCEPTED = 202;
const SEE_OTHER = 303;

type Adapter = UnaryAdapter | OperationAdapter;

/** A response while the operation is running, or its last response. */
interface State {
  readonly response: ReadResponse;
  readonly isDone: boolean;
}

/**
 * Waits until an accepted operation completes, and returns the response message with its result.
 *
 * @throws ConnectError OPERATION_UNFINISHED, OPERATION_LINK_REFUSED, the error of the operation itself, and
 *   the errors of calls
 */
export async function awaitOperation(
  call: RunningCall<UnaryAdapter>,
  message: MessageShape<DescMessage>,
  rule: OperationRule,
): Promise<Uint8Array<ArrayBuffer>> {
  const work = new Work(call, rule);
  for await (const { response, isDone } of work.states(message)) {
    if (isDone) return messageOf(call, await work.result(response), work.resultRules);
  }
  throw work.unfinished();
}

/**
 * Yields the states of an accepted operation as response messages: the first state, each state that differs
 * from the previous one, and the last state.
 */
export async function* operation(
  call: RunningCall<OperationAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { operation: rule } = call.adapter.rules;
  if (rule === undefined) throw new Error("the method has no rule for accepted work");
  let before: string | undefined;
  for await (const { response } of new Work(call, rule).states(message)) {
    const text = stringifyJson(response.body.exactly() ?? null);
    if (text !== before) yield messageOf(call, response);
    before = text;
  }
  return undefined;
}

/** An operation that an upstream has accepted and is still executing. */
class Work {
  private readonly call: RunningCall<Adapter>;
  private readonly rule: OperationRule;
  /** The rules for status polls. They use GET even if the method does not. A redirect leads to the result. */
  private readonly rules: MethodRules;
  private request = NO_REQUEST;
  private intervalMs: number;

  constructor(call: RunningCall<Adapter>, rule: OperationRule) {
    const { rules } = call.adapter;
    this.call = call;
    this.rule = rule;
    this.rules = { ...rules, success: [...rules.success, SEE_OTHER] };
    this.intervalMs = rule.intervalMs ?? FIRST_INTERVAL_MS;
  }

  /**
   * The rules for reading the result. The payload is at the path of the result within the original payload.
   */
  get resultRules(): MethodRules {
    const { result } = this.rule;
    const { rules } = this.call.adapter;
    if (result === undefined) return rules;
    const outer = rules.envelope?.payload ?? [""];
    const payload = outer.map((path) => (path === "" ? result : `${path}.${result}`));
    return { ...rules, envelope: { ...rules.envelope, payload } };
  }

  /** Yields every response until the operation completes. */
  async *states(message: MessageShape<DescMessage>): AsyncGenerator<State, undefined> {
    this.request = this.call.request(message);
    let response = await send(this.call, this.request);
    let isDone = this.isDone(response);
    this.notePlaces(response);
    yield { response, isDone };
    if (isDone) return undefined;
    this.request = this.statusRequest(response);
    for (let polls = 1; !isDone; polls++) {
      if (polls > (this.rule.maxPolls ?? MAX_POLLS)) throw this.unfinished();
      await this.wait(this.askedMs(response));
      response = await this.poll();
      if (response.status === SEE_OTHER) {
        this.request = this.linked(() => response.header("location"));
        response = await send(this.call, this.request);
        isDone = true;
      } else {
        isDone = this.isDone(response);
        this.notePlaces(response);
        this.move(response);
      }
      yield { response, isDone };
    }
    return undefined;
  }

  /** Returns the response with the result of the completed operation. */
  async result(response: ReadResponse): Promise<ReadResponse> {
    const { resultLink } = this.rule;
    if (resultLink === undefined) return response;
    this.request = this.linked(() => hrefAt(this.payload(response), resultLink));
    return await send(this.call, this.request);
  }

  unfinished(): ConnectError {
    const polls = this.rule.maxPolls ?? MAX_POLLS;
    return restError("OPERATION_UNFINISHED", { ...namesOf(this.call.adapter), polls });
  }

  private isDone(response: ReadResponse): boolean {
    const { done, failed } = this.rule;
    const payload = this.payload(response);
    const exactly = () => this.payload(response, true);
    if (failed !== undefined && isJsonObject(payload) && holdsExactly(payload, failed, exactly)) {
      throw this.call.failure(response);
    }
    if (response.status === ACCEPTED) return false;
    return done === undefined || (isJsonObject(payload) && holdsExactly(payload, done, exactly));
  }

  /** Reports differences on the paths to the status and the result. */
  private notePlaces(response: ReadResponse): void {
    const { done, failed, status, resultLink } = this.rule;
    const link = status.kind === "link" ? status.path : status.kind === "path" ? status.key : undefined;
    const payload = this.payload(response);
    noteIn(this.call, ({ misstep }) => {
      for (const path of [failed?.key, done?.key, link, resultLink]) {
        if (path !== undefined) valueAt(payload, path, misstep);
      }
    });
  }

  private statusRequest(response: ReadResponse): RestRequest {
    const { status } = this.rule;
    switch (status.kind) {
      case "header": {
        const href = response.header(status.header);
        // some upstreams execute a GET asynchronously, and expect the same request again
        if (href === undefined && this.request.verb === "GET") return this.request;
        return this.linked(() => href);
      }
      case "link":
        return this.linked(() => hrefAt(this.payload(response), status.path));
      case "path": {
        const value = valueAt(this.payload(response), status.key);
        const isName = typeof value === "number" || (typeof value === "string" && value !== "");
        if (!isName) throw this.rejected(`no value at ${status.key}`);
        const name = String(value).toWellFormed().split("/").map(percentEncode).join("/");
        return { ...this.plain(), path: `${status.before}${name}${status.after}` };
      }
    }
  }

  /** Adopts the status link of a response. The link may change while the operation is running. */
  private move(response: ReadResponse): void {
    const { status } = this.rule;
    const href = status.kind === "header" ? response.header(status.header) : undefined;
    if (href !== undefined && response.status === ACCEPTED) this.request = this.linked(() => href);
  }

  private linked(find: () => string | undefined): RestRequest {
    const request = linkedRequest(this.call, this.plain(), "OPERATION_LINK_REFUSED", find);
    if (request === undefined) throw this.rejected("no link", new LinkRejected("no link"));
    return request;
  }

  /**
   * Returns a GET with the headers of the request, except the headers of its body and its idempotency key.
   */
  private plain(): RestRequest {
    const { path, headers, oauth1Params } = this.request;
    const { idempotencyKey } = this.call.adapter.rules;
    const kept = headers.filter(([name]) => !name.startsWith("content-") && name !== idempotencyKey);
    return { ...NO_REQUEST, path, headers: kept, oauth1Params };
  }

  /** Requests the status. Retries after temporary failures. */
  private async poll(): Promise<ReadResponse> {
    for (let failed = 1; ; failed++) {
      try {
        return await send(this.call, this.request, { rules: this.rules, retry: false });
      } catch (error) {
        const delay = transientDelay(error);
        if (delay === undefined || failed >= MAX_FAILED_POLLS) throw error;
        await this.wait(Math.max(delay, this.intervalMs));
      }
    }
  }

  private async wait(askedMs: number | undefined): Promise<void> {
    const { clock, context, route } = this.call;
    const ms = askedMs ?? this.intervalMs;
    this.intervalMs = Math.max(this.intervalMs, Math.min(this.intervalMs * 1.5, MAX_INTERVAL_MS));
    const ends = AbortSignal.any([context.signal, route.upstream.closing]);
    await sleep(Math.min(ms, MAX_WAIT_MS), clock, ends);
  }

  /**
   * Returns the wait that the upstream requests, but at least a minimum, so that there is always a pause
   * between polls.
   */
  private askedMs({ header }: ReadResponse): number | undefined {
    const { retryAfter } = this.call.adapter.rules;
    const asked = retryDelayMs(header, retryAfter, Code.Unavailable, this.call.clock.now());
    return asked === undefined ? undefined : Math.max(asked, Math.min(this.intervalMs, FIRST_INTERVAL_MS));
  }

  private payload({ body }: ReadResponse, exactly = false): JsonValue | undefined {
    return payloadOf(exactly ? body.exactly() : body.value, this.call.adapter.rules.envelope);
  }

  private rejected(problem: string, cause?: unknown): ConnectError {
    return restError("OPERATION_LINK_REFUSED", { ...namesOf(this.call.adapter), problem }, { cause });
  }
}

/** Returns the minimum wait after a temporary error, or undefined for a permanent error. */
function transientDelay(error: unknown): number | undefined {
  if (!(error instanceof ConnectError) || reasonOf(error) === "UPSTREAM_CLOSED") return undefined;
  const delay = retryDelayOf(error);
  if (error.code === Code.Unavailable) return delay ?? 0;
  return error.code === Code.ResourceExhausted ? delay : undefined;
}
