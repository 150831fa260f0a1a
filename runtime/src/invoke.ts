import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { JsonValue } from "./adapter/json.ts";
import type { RestRequest } from "./adapter/rest-request.ts";
import type { MethodRules } from "./adapter/rules.ts";
import { type Body, readBody, textOf } from "./answer/body.ts";
import { type Decoded, Decoder } from "./answer/decode.ts";
import { statusOf } from "./answer/envelope.ts";
import { parseJson } from "./answer/parse-json.ts";
import { passHeaders } from "./answer/pass-headers.ts";
import type { Clock } from "./clock.ts";
import { fullName, type Route } from "./directory.ts";
import { restError } from "./errors/rest-error.ts";
import type { HeaderReader } from "./errors/retry-info.ts";
import { errorInSuccess, upstreamError } from "./errors/upstream-error.ts";
import type { CallReport, RestOptions } from "./options.ts";
import type { AnswerHeaders } from "./upstream/exchange.ts";
import { isSuccess, type UpstreamAnswer } from "./upstream/upstream.ts";

/** One call of a method. */
export interface Invocation {
  readonly message: MessageShape<DescMessage>;
  /** The headers of the RPC. */
  readonly header: Headers;
  /** Ends the call; its reason is the error of the call. */
  readonly signal: AbortSignal;
}

/** What a call brings. */
export interface Outcome {
  /** The response message. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Headers of the upstream's answer that callers get. */
  readonly header: Headers;
}

type Callbacks = Pick<RestOptions, "strict" | "onDrift" | "onCall">;
type Progress = { -readonly [K in "verb" | "upstreamStatus" | "bytes" | "drifts"]: CallReport[K] };

/** Makes calls: request, upstream, answer; and reports them. */
export class Invoker {
  private readonly options: Callbacks;
  private readonly clock: Clock;
  private readonly decoder = new Decoder();

  constructor(options: Callbacks, clock: Clock) {
    this.options = options;
    this.clock = clock;
  }

  /** @throws ConnectError, or the reason of the signal */
  async invoke(route: Route, call: Invocation): Promise<Outcome> {
    const progress: Progress = { verb: undefined, upstreamStatus: undefined, bytes: 0, drifts: 0 };
    const start = this.clock.monotonic();
    let error: ConnectError | undefined;
    try {
      return await this.run(route, call, progress);
    } catch (thrown) {
      error = asConnectError(route, thrown);
      throw error;
    } finally {
      const { method, rules } = route.adapter;
      const durationMs = this.clock.monotonic() - start;
      tell(this.options.onCall, { ...progress, method, upstream: rules.upstream, durationMs, error });
    }
  }

  private async run(
    route: Route,
    { message, header, signal }: Invocation,
    progress: Progress,
  ): Promise<Outcome> {
    const { method, rules } = route.adapter;
    signal.throwIfAborted();
    const request = buildRequest(route, message);
    progress.verb = request.verb;
    const answer = await route.upstream.call({ method, rules, request, header, signal });
    progress.upstreamStatus = answer.status;
    progress.bytes = answer.body.length;
    const decoded = this.read(route, answer);
    progress.drifts = decoded.drifts.length;
    this.drift(route, decoded);
    return { bytes: decoded.bytes, header: passHeaders(answer.headers) };
  }

  private read(route: Route, answer: UpstreamAnswer): Decoded {
    const { adapter } = route;
    const { rules } = adapter;
    const header = headerReader(answer.headers);
    const now = this.clock.now();
    if (!isSuccess(answer.status, rules)) {
      throw upstreamError({ ...answer, header, json: leniently(answer) }, rules, now);
    }
    const body = readAnswer(adapter.rules, answer, header("content-type"));
    const status = statusOf(answer.status, body.value, rules.envelope);
    const asError = () => ({ ...answer, status, header, json: body.value });
    if (!isSuccess(status, rules)) throw upstreamError(asError(), rules, now);
    if (rules.errors.some((rule) => rule.status === status)) {
      const error = errorInSuccess(asError(), rules, now);
      if (error !== undefined) throw error;
    }
    return this.decoder.decode(adapter, { status, header, body });
  }

  private drift({ adapter: { method, rules } }: Route, { drifts }: Decoded): void {
    const [first] = drifts;
    if (first === undefined) return;
    tell(this.options.onDrift, { method, upstream: rules.upstream, drifts });
    if (this.options.strict !== true) return;
    const { path, expected, got } = first;
    throw restError("RESPONSE_DRIFT", {
      upstream: rules.upstream,
      method: fullName(method),
      path,
      expected,
      got,
    });
  }
}

function buildRequest({ adapter }: Route, message: MessageShape<DescMessage>): RestRequest {
  try {
    return adapter.request(message);
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    throw adapterFailed(adapter, "writing the request", error);
  }
}

function readAnswer(rules: MethodRules, { status, body }: UpstreamAnswer, type: string | undefined): Body {
  try {
    return readBody(body, rules.responseEncoding, type);
  } catch (cause) {
    // a redirect or a 304 that is an answer often has a page of HTML, which nobody means to read
    if (status >= 300) return readBody(body, "empty", type);
    const got = `${type ?? "no Content-Type"} (${body.length} bytes)`;
    throw restError("UPSTREAM_BODY_NOT_JSON", { upstream: rules.upstream, status, got }, { cause });
  }
}

function leniently({ body }: UpstreamAnswer): JsonValue | undefined {
  try {
    return parseJson(textOf(body));
  } catch {
    return undefined;
  }
}

function headerReader(headers: AnswerHeaders): HeaderReader {
  return (name) => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(", ") : value;
  };
}

function asConnectError({ adapter }: Route, thrown: unknown): ConnectError {
  return thrown instanceof ConnectError ? thrown : adapterFailed(adapter, "calling the upstream", thrown);
}

function adapterFailed({ method, rules }: Route["adapter"], step: string, cause: unknown): ConnectError {
  return restError("ADAPTER_FAILED", { upstream: rules.upstream, method: fullName(method), step }, { cause });
}

/** A listener that fails must not fail the call. */
function tell<T>(listener: ((report: T) => void) | undefined, report: T): void {
  try {
    listener?.(report);
  } catch {
    // said in the documentation of the options
  }
}
