import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { Clock, FoundDifferences } from "connect-rest-codec/internal";
import { inTurns, pool, stringifyJson, typed, type Work, withTypes } from "connect-rest-codec/internal";
import type {
  AnyMethodAdapter,
  DownloadAdapter,
  OperationAdapter,
  PaginateAdapter,
  PollAdapter,
  RecordsAdapter,
  UnaryAdapter,
  UploadAdapter,
} from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { RestResponse } from "../adapter/rest-response.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { Permit } from "../breaker/breaker.ts";
import { hasCallerCredentials } from "../credentials/caller-credentials.ts";
import { redactError } from "../errors/redact.ts";
import { redactedValues } from "../errors/redacted-fields.ts";
import { restError } from "../errors/rest-error.ts";
import {
  comparable,
  type ErrorResponse,
  errorInStatus,
  errorInSuccess,
  upstreamError,
} from "../errors/upstream-error.ts";
import { rulesOfRequest } from "../rate-limit/request-condition.ts";
import { withIdempotencyKey } from "../request/idempotency-key.ts";
import { located } from "../request/located.ts";
import { isLarge } from "../response/body.ts";
import type { RecordBody } from "../response/decode.ts";
import { headerReader } from "../response/headers.ts";
import { type ListRules, Page } from "../response/page.ts";
import { errorOf, type ReadResponse, readResponse, readResponseInPieces } from "../response/read-response.ts";
import type { ResponseScanner } from "../response/scan-response.ts";
import { shapeError } from "../response/shape-error.ts";
import { WaitAllowance } from "../retry/wait-allowance.ts";
import { withRetries } from "../retry/with-retries.ts";
import { fullName } from "../text/full-name.ts";
import type { Secret } from "../text/secret.ts";
import { Pacer } from "../time/pacer.ts";
import { baseOf } from "../upstream/options.ts";
import type { UpstreamCall, UpstreamResponse } from "../upstream/upstream.ts";
import type { CallContext, CallSettings, Download, OpenExtras, RequestExtras } from "./call-context.ts";
import { CallProgress } from "./call-progress.ts";
import { reportDifferences } from "./differences.ts";
import { sendFirst } from "./first-attempt.ts";
import { notify } from "./notify.ts";
import { Observation, observed } from "./observed.ts";
import { operationStatus } from "./operation-status.ts";
import { type CallReport, callerOf } from "./options.ts";
import type { Route } from "./routes.ts";
import { SentSecrets } from "./sent-secrets.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Decodable = UnaryAdapter | UploadAdapter | OperationAdapter;

/** Sends a request, again where `isRetry` is set; calls `onSent` when it goes out. */
type Send<T> = (onSent: () => void, isRetry: boolean) => Promise<T>;

/**
 * One call of a method while it runs, with one or many requests to its upstream; it keeps count of what came.
 */
export class RunningCall<A extends AnyMethodAdapter = AnyMethodAdapter> {
  readonly route: Route<A>;
  readonly context: CallContext;
  readonly clock: Clock;
  private requested: MessageShape<DescMessage> | undefined;
  private readonly sentSecrets = new SentSecrets();
  private readonly settings: CallSettings;
  private readonly startedAt: number;
  private readonly allowance: WaitAllowance;
  private over = false;
  private largeBytes = 0;
  private readonly progress = new CallProgress();

  constructor(route: Route<A>, context: CallContext, settings: CallSettings) {
    this.route = route;
    this.context = context;
    this.clock = settings.clock;
    this.settings = settings;
    this.startedAt = settings.clock.monotonic();
    const { retrier } = route.upstream;
    this.allowance = new WaitAllowance(
      context.hasCallerDeadline ? Number.POSITIVE_INFINITY : (retrier?.maxTotalDelayMs ?? 0),
    );
  }

  get adapter(): A {
    return this.route.adapter;
  }

  /** Headers of the upstream's first response that callers get; none before it came. */
  get header(): Headers {
    return this.progress.header;
  }

  /** Builds the REST call of a request message. */
  request(message: MessageShape<DescMessage>): RestRequest {
    this.requested = message;
    const request = this.adapted("writing the request", () => this.requestOf(message));
    return withIdempotencyKey(request, this.adapter.rules.idempotencyKey, this.clock);
  }

  private requestOf(message: MessageShape<DescMessage>): RestRequest {
    try {
      return this.adapter.request(message);
    } catch (error) {
      throw error instanceof ConnectError ? located(error, this.adapter.method.input, message) : error;
    }
  }

  /**
   * Calls a function of the adapter; what it throws, other than ConnectErrors, is an error of the adapter.
   */
  adapted<T>(step: string, act: () => T): T {
    try {
      return withTypes(this.settings.types, act);
    } catch (cause) {
      if (cause instanceof ConnectError) throw cause;
      throw this.failed(step, cause);
    }
  }

  /** Sends a request, again where that may help, and reads the response. */
  send(
    request: RestRequest,
    { rules, stream, retry = true, scan = false }: RequestExtras = {},
  ): Promise<ReadResponse> {
    const { method } = this.adapter;
    const used = rulesOfRequest(rules ?? this.adapter.rules, method.input, this.requested);
    const mayRetry = retry && stream === undefined;
    const send: Send<ReadResponse> = async (onSent, isRetry) => {
      const call = {
        ...this.ofContext(),
        onSecrets: this.sentSecrets.add,
        method,
        rules: used,
        request,
        stream,
        onSent,
        isRetry,
        caller: callerOf(this.settings.options),
      };
      const response = await this.following(call, (call) => this.route.upstream.call(call));
      return await this.read(this.attributed(response), used, scan);
    };
    if (stream !== undefined || !this.startsAtOnce(used)) return this.retried(mayRetry, send);
    return this.attempted(request, used, scan, (error) => this.retried(mayRetry, send, { error }));
  }

  private startsAtOnce(rules: MethodRules): boolean {
    const { context } = this;
    // a context that can be asked for a listener tells that one of what has happened already
    const isAborted = context.onCancel === undefined && context.signal.aborted;
    return !isAborted && this.route.upstream.startsAtOnce(rules);
  }

  /** The first attempt, in as few steps as will do; `again` goes on with its error, as attempt two. */
  private async attempted(
    request: RestRequest,
    rules: MethodRules,
    scan: boolean,
    again: (error: unknown) => Promise<ReadResponse>,
  ): Promise<ReadResponse> {
    const { context, progress } = this;
    const { upstream } = this.route;
    const { method } = this.adapter;
    const { onRequest } = this.settings.options;
    const caller = callerOf(this.settings.options);
    let permit: Permit | undefined;
    try {
      permit = upstream.admit(rules.base, { caller, method: fullName(method) });
      const { verb } = request;
      progress.counts.verb = verb;
      const origin = baseOf(upstream.settings, rules.base)?.origin ?? "";
      const report = { method, upstream: rules.upstream, verb, origin, isRetry: false };
      const observation = new Observation(onRequest, report, request);
      const parts = {
        context,
        upstream,
        method,
        rules,
        request: observation.request,
        caller,
        permit,
        progress,
        sentSecrets: this.sentSecrets,
      };
      let response: UpstreamResponse;
      try {
        response = await observation.run(() => sendFirst(parts));
      } catch (error) {
        observation.ended(undefined, error);
        throw error;
      }
      observation.ended(response.status, undefined);
      progress.responded(response, this);
      const reading = this.read(this.attributed(response), rules, scan);
      const read = reading instanceof Promise ? await reading : reading;
      permit.end(undefined);
      upstream.retrier?.succeeded();
      return read;
    } catch (error) {
      permit?.end(error);
      return again(error);
    }
  }

  /** Field by field, since a context may make them when they are asked for. */
  private ofContext(): Pick<UpstreamCall, "header" | "signal" | "expiresAt" | "provided"> {
    const { header, signal, expiresAt, provided } = this.context;
    return { header, signal, expiresAt, provided };
  }

  private read(
    response: UpstreamResponse,
    rules: MethodRules,
    scan: boolean,
  ): ReadResponse | Promise<ReadResponse> {
    const scanner = scan ? this.settings.scanner : undefined;
    if (scanner?.isLarge(response.body) === true) {
      this.largeBytes = response.body.length;
      return this.inTurns(this.readInPieces(response, rules, scanner));
    }
    const scanned = scanner && this.scanned(response, rules, scanner);
    if (scanned !== undefined) return scanned;
    const now = this.clock.now();
    if (isLarge(response.body)) {
      this.largeBytes = response.body.length;
      return this.inTurns(readResponseInPieces(response, rules, now, this.maxCost));
    }
    return this.knowing(() => readResponse(response, rules, now, this.maxCost));
  }

  private *readInPieces(
    response: UpstreamResponse,
    rules: MethodRules,
    scanner: ResponseScanner,
  ): Work<ReadResponse> {
    const { adapter, maxCost } = this;
    const scanned =
      adapter.kind === "unary" ? yield* scanner.readInPieces(adapter, rules, response, maxCost) : undefined;
    if (scanned !== undefined) pool.release(response.body);
    return scanned ?? (yield* readResponseInPieces(response, rules, this.clock.now(), maxCost));
  }

  private scanned(
    response: UpstreamResponse,
    rules: MethodRules,
    scanner: ResponseScanner,
  ): ReadResponse | undefined {
    const { adapter } = this;
    if (adapter.kind === "paginate") {
      const now = this.clock.now();
      return this.knowing(() => scanner.page(adapter, rules, response, now, this.maxCost));
    }
    if (adapter.kind !== "unary") return undefined;
    const read = scanner.read(adapter, rules, response, this.maxCost);
    // all that is needed of it is in the message
    if (read !== undefined) pool.release(response.body);
    return read;
  }

  /**
   * Does work in turns of the event loop, until the call is over; on the large response that came last,
   * unless `bytes` are said.
   */
  inTurns<T>(work: Work<T>, bytes: number = this.largeBytes): Promise<T> {
    const { clock } = this;
    return inTurns(typed(work, this.settings.types), { signal: this.context.signal, clock, bytes });
  }

  /** Sends a request, again where that may help, and leaves the body of the response to be read. */
  open(request: RestRequest, { bodyTimeoutMs, until }: OpenExtras = {}): Promise<Download> {
    const { method } = this.adapter;
    const rules = rulesOfRequest(this.adapter.rules, method.input, this.requested);
    const signal = until === undefined ? this.context.signal : AbortSignal.any([this.context.signal, until]);
    return this.retried(true, async (onSent, isRetry) => {
      const call = {
        ...this.ofContext(),
        onSecrets: this.sentSecrets.add,
        signal,
        method,
        rules,
        request,
        onSent,
        isRetry,
        bodyTimeoutMs,
      };
      const response = await this.following(call, (call) => this.route.upstream.open(call));
      const { status, headers, chunks } = response;
      if (chunks === undefined) {
        throw this.knowing(() => errorOf(this.attributed(response), rules, this.clock.now()));
      }
      const head = { status, header: headerReader(headers), payload: undefined, bytes: undefined };
      const errorIn: Download["errorIn"] = (value, text, exactly = () => undefined) => {
        const json = comparable(value, this.adapter.rules, exactly);
        return this.knowing(() =>
          this.errorInRecord({ ...response, ...head, json, body: Buffer.from(text) }),
        );
      };
      return { head, chunks: this.counted(chunks), errorIn };
    });
  }

  /** The error that a response means, although its status is none. */
  failure({ status, header, body }: ReadResponse): ConnectError {
    const json = operationStatus(body.value);
    const bytes = Buffer.from(json === undefined ? "" : stringifyJson(json));
    const response = {
      status,
      header,
      json,
      body: bytes,
      truncated: false,
      configuredCredentials: false,
      secrets: [],
    };
    return this.knowing(() => upstreamError(response, this.adapter.rules, this.clock.now()));
  }

  /** The response message in a response; `rules` in place of the method's own. */
  message(
    this: RunningCall<Decodable>,
    response: ReadResponse,
    rules: MethodRules = this.adapter.rules,
  ): Bytes | Promise<Bytes> {
    const { decoder } = this.settings;
    const { adapter } = this;
    return response.body.inPieces === undefined
      ? this.reported(this.knowing(() => decoder.message(adapter, response, rules))).bytes
      : this.inTurns(decoder.messageInParts(adapter, response, rules)).then(
          (decoded) => this.reported(decoded).bytes,
        );
  }

  /**
   * The list in a response; one without a body, by its status, is a page without items.
   *
   * @throws ConnectError reason RESPONSE_SHAPE where there is neither a list nor what stands for an empty one
   */
  page(response: ReadResponse, paths: ListRules["paths"], empty?: ListRules["empty"]): Page {
    const page = new Page(response.body, { envelope: this.adapter.rules.envelope, paths, empty });
    const { misshapen } = page;
    if (misshapen !== undefined && response.status !== 204) throw shapeError(this.adapter, misshapen);
    return page;
  }

  /** Items of a page as response messages, by default all of them. */
  items(
    this: RunningCall<PaginateAdapter | PollAdapter>,
    page: Page,
    response: ReadResponse,
    indices: readonly number[] = [...page.items.keys()],
  ): readonly Bytes[] | Promise<readonly Bytes[]> {
    const { decoder } = this.settings;
    const { adapter } = this;
    return response.body.inPieces === undefined
      ? this.reported(this.knowing(() => decoder.items(adapter, page, response, indices))).items
      : this.inTurns(decoder.itemsInParts(adapter, page, response, indices)).then(
          (decoded) => this.reported(decoded).items,
        );
  }

  /** A response message with a record; undefined where it is no object. */
  record(
    this: RunningCall<RecordsAdapter>,
    record: RecordBody,
    index: number,
  ): Bytes | undefined | Promise<Bytes | undefined> {
    const { decoder } = this.settings;
    const { adapter } = this;
    return record.inPieces === undefined
      ? this.reported(this.knowing(() => decoder.record(adapter, record, index))).bytes
      : this.inTurns(decoder.recordInParts(adapter, record, index)).then(
          (decoded) => this.reported(decoded).bytes,
        );
  }

  /** A response message with a chunk. */
  chunk(
    this: RunningCall<DownloadAdapter>,
    head: RestResponse | undefined,
    chunk: Uint8Array | undefined,
  ): Uint8Array<ArrayBuffer> {
    return this.reported(this.knowing(() => this.settings.decoder.chunk(this.adapter, head, chunk))).bytes;
  }

  /** The error that callers get for what a call threw. */
  errorOf(thrown: unknown): ConnectError {
    const error = thrown instanceof ConnectError ? thrown : this.failed("calling the upstream", thrown);
    return redactError(error, this.secrets());
  }

  /** Reports that the call is over, and what it ended with. Only the first end of a call counts. */
  ended(error: ConnectError | undefined): void {
    if (this.over) return;
    this.over = true;
    const { method, rules } = this.adapter;
    const report: CallReport = {
      ...this.progress.counts,
      method,
      upstream: rules.upstream,
      durationMs: this.clock.monotonic() - this.startedAt,
      error,
    };
    notify("onCall", this.settings.options.onCall, report);
  }

  /**
   * What must not come out again: the credentials that were sent,
   * and the values of redacted fields of the request.
   */
  secrets(): Secret[] {
    const values = this.requested && redactedValues(this.adapter.method.input, this.requested);
    return [...this.sentSecrets.newest(), ...(values ?? [])];
  }

  private errorInRecord(record: ErrorResponse): ConnectError | undefined {
    const { adapter } = this.route;
    const now = this.clock.now();
    const error = errorInSuccess(record, adapter.rules, now);
    const isOwn = adapter.kind !== "records" || adapter.ownError === true;
    return error ?? (isOwn ? undefined : errorInStatus(record, adapter.rules, now));
  }

  private get maxCost(): number {
    return this.route.upstream.settings.maxResponseCost;
  }

  private knowing<T>(act: () => T): T {
    return withTypes(this.settings.types, act);
  }

  /** A response whose refusal, if it is one, concerns the credentials in the message, where there are any. */
  private attributed<T extends UpstreamResponse>(response: T): T {
    const { method, rules } = this.adapter;
    const fields = rules.credentialFields;
    if (!response.configuredCredentials || fields === undefined || this.requested === undefined) {
      return response;
    }
    const isOfCaller = hasCallerCredentials(method.input, this.requested, fields);
    return isOfCaller ? { ...response, configuredCredentials: false } : response;
  }

  /** @param failed the error of the first attempt, where it has been made */
  private retried<T>(retry: boolean, send: Send<T>, failed?: { readonly error: unknown }): Promise<T> {
    const { retrier, closing } = this.route.upstream;
    const { signal, expiresAt } = this.context;
    const { idempotent } = this.adapter.rules;
    const { clock } = this;
    const context = {
      retrier: retry ? retrier : undefined,
      idempotent,
      signal,
      expiresAt,
      closing,
      clock,
      allowance: this.allowance,
    };
    let isRetry = failed !== undefined;
    let first = failed;
    return withRetries(() => {
      if (first !== undefined) {
        const { error } = first;
        first = undefined;
        return Promise.reject(error);
      }
      const sending = this.permitted(send, isRetry);
      isRetry = true;
      return sending;
    }, context);
  }

  private async permitted<T>(send: Send<T>, isRetry: boolean): Promise<T> {
    const { rules, method } = this.adapter;
    const caller = callerOf(this.settings.options);
    const permit = this.route.upstream.admit(rules.base, { caller, method: fullName(method) });
    try {
      const result = await send(() => {
        this.progress.counts.attempts++;
        permit.sent();
      }, isRetry);
      permit.end(undefined);
      return result;
    } catch (error) {
      permit.end(error);
      throw error;
    }
  }

  /**
   * Sends a request, those that its redirects lead to, and it again with renewed credentials: each is a
   * request of its own, to whoever observes them.
   */
  private async following<T extends UpstreamResponse>(
    first: UpstreamCall,
    send: (call: UpstreamCall) => Promise<T>,
  ): Promise<T> {
    let call = first;
    for (;;) {
      const current = call;
      const response = await this.observed(current, (request) => send({ ...current, request }));
      const { upstream } = this.route;
      const next = upstream.redirected(current, response) ?? (await upstream.renewed(current, response));
      if (next === undefined) return response;
      call = next;
    }
  }

  private async observed<T extends UpstreamResponse>(
    { request, hop, isRetry = false }: UpstreamCall,
    send: (request: RestRequest) => Promise<T>,
  ): Promise<T> {
    const { verb } = request;
    const { method, rules } = this.adapter;
    this.progress.counts.verb = verb;
    const origin = hop?.origin ?? baseOf(this.route.upstream.settings, rules.base)?.origin ?? "";
    const report = { method, upstream: rules.upstream, verb, origin, isRetry };
    const response = await observed(this.settings.options.onRequest, report, request, send);
    this.progress.responded(response, this);
    return response;
  }

  private async *counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const pacer = new Pacer(this.context.signal);
    for await (const chunk of chunks) {
      this.progress.counts.bytes += chunk.length;
      yield chunk;
      const pause = pacer.bytes(chunk.length);
      if (pause !== undefined) await pause;
    }
  }

  /** What was decoded, its differences reported. */
  private reported<T extends { readonly differences: FoundDifferences }>(decoded: T): T {
    reportDifferences(
      decoded.differences,
      this.adapter,
      this.settings,
      () => this.secrets(),
      (counts) => this.progress.differed(counts),
    );
    return decoded;
  }

  private failed(step: string, cause: unknown): ConnectError {
    const { method, rules } = this.adapter;
    const { upstream } = rules;
    return restError("ADAPTER_FAILED", { upstream, method: fullName(method), step }, { cause });
  }
}
