import type { ConnectError } from "@connectrpc/connect";
import { LARGE_WORK, pool, TurnBudget } from "connect-rest-codec/internal";
import type { MethodRules } from "../adapter/rules.ts";
import { restError } from "../errors/rest-error.ts";
import { DecompressError, decompress } from "../http/decompress.ts";
import { decompressSmall } from "../http/decompress-small.ts";
import { type Exchange, ExchangeFailed, type ExchangeLimits } from "../http/exchange.ts";
import type { OpenExchange } from "../http/open-exchange.ts";
import type { DispatchOptions, Requester } from "../http/requester.ts";
import { Turns } from "../time/turns.ts";
import { beginningOf, bodyStream } from "./body-stream.ts";
import type { Connections } from "./connections.ts";
import { decompressError, exchangeError } from "./failure.ts";
import type { UpstreamSettings } from "./options.ts";
import {
  isSuccess,
  MAX_ERROR_BYTES,
  type OpenResponse,
  type UpstreamCall,
  type UpstreamResponse,
} from "./upstream.ts";

/** The properties of a response that are known when its request is sent. */
export type Sender = Pick<UpstreamResponse, "configuredCredentials" | "secrets" | "rejected">;

/** A request with its credentials, and the connections on which it is sent. */
export interface Prepared {
  readonly requester: Requester;
  readonly sent: DispatchOptions;
  readonly sender: Sender;
}

/**
 * The maximum number of bodies that are decompressed concurrently. Each body may grow to `maxResponseBytes`.
 * A hundred compression bombs at the same time would need gigabytes, most of which would not be returned to
 * the system.
 */
const MAX_DECOMPRESSING = 4;

/** The size in bytes above which responses wait for their turn to be decompressed. */
const LARGE_BYTES = 256 * 1024;

/**
 * The maximum number of bytes that are decompressed synchronously in one event-loop turn. For typical bodies,
 * this takes about a millisecond.
 */
const AT_ONCE = new TurnBudget(512 * 1024);

/** Converts exchanges to decompressed responses, within the limits of the upstream. */
export class Responses {
  private readonly upstream: string;
  private readonly settings: UpstreamSettings;
  private readonly connections: Connections;
  private readonly limitsOf = new WeakMap<MethodRules, ExchangeLimits>();
  private readonly decompressing = new Turns(MAX_DECOMPRESSING);

  constructor(upstream: string, settings: UpstreamSettings, connections: Connections) {
    this.upstream = upstream;
    this.settings = settings;
    this.connections = connections;
  }

  /** Returns the limits for reading a method's responses. */
  limits(rules: MethodRules): ExchangeLimits {
    const known = this.limitsOf.get(rules);
    if (known !== undefined) return known;
    const tolerant = (status: number) => !isSuccess(status, rules);
    const maxBytes = (status: number) =>
      tolerant(status) ? this.maxErrorBytes : this.settings.maxResponseBytes;
    const limits = { maxBytes, tolerant };
    this.limitsOf.set(rules, limits);
    return limits;
  }

  /** Checks and decompresses a whole response. Returns a promise only if this takes time. */
  whole(
    response: Exchange,
    call: UpstreamCall,
    { sent, sender }: Prepared,
  ): UpstreamResponse | Promise<UpstreamResponse> {
    const { status, headers, body, incomplete } = response;
    const rejection = this.rejection(status, call, sent);
    if (rejection !== undefined) throw rejection;
    const plain = body.length <= LARGE_BYTES ? this.plainNow(response, call) : undefined;
    if (plain !== undefined) {
      return { status, headers, truncated: incomplete !== undefined, body: plain, ...sender };
    }
    return this.decompressed(response, call).then((whole) => ({ ...whole, ...sender }));
  }

  /**
   * Checks the head of a response. If the response is an error, reads the beginning of its body for the error
   * text. Does not read any other body.
   */
  async opened(
    response: OpenExchange,
    call: UpstreamCall,
    { sent, sender }: Prepared,
    bodyTimeoutMs: number,
  ): Promise<OpenResponse> {
    const { status, headers } = response;
    const rejection = this.rejection(status, call, sent);
    if (rejection !== undefined) {
      await response.body.return?.();
      throw rejection;
    }
    if (isSuccess(status, call.rules)) {
      const settings = { ...this.settings, bodyTimeoutMs };
      const chunks = bodyStream(response, { ...this.failureContext, settings });
      return { status, headers, body: new Uint8Array(), truncated: false, chunks, ...sender };
    }
    const beginning = await beginningOf(response, this.maxErrorBytes, call.signal);
    return { ...(await this.decompressed(beginning, call)), chunks: undefined, ...sender };
  }

  /** Returns the result of an exchange, or throws its error in the form that callers see. */
  async translated<T>(exchanging: Promise<T>): Promise<T> {
    try {
      return await exchanging;
    } catch (error) {
      throw this.translation(error);
    }
  }

  /** Converts a failed exchange to the error that callers see. Returns any other error unchanged. */
  translation(error: unknown): unknown {
    return error instanceof ExchangeFailed ? exchangeError(error, this.failureContext) : error;
  }

  /** Returns the decompressed body of a response, or undefined if decompressing takes time. */
  private plainNow(
    { status, headers, body }: Exchange,
    { signal, rules }: UpstreamCall,
  ): Uint8Array | undefined {
    const encoding = headers["content-encoding"];
    if (encoding === undefined || body.length === 0) return body;
    if (signal.aborted) return undefined;
    const limit = this.limits(rules).maxBytes(status);
    const plain = decompressSmall(body, String(encoding), limit, AT_ONCE);
    if (plain !== undefined) pool.release(body);
    return plain;
  }

  /**
   * Returns the error for a status that the upstream cannot send for this request. If a proxy forwards
   * requests, a 407 is from the proxy (RFC 9110 section 15.5.8).
   */
  private rejection(
    status: number,
    call: UpstreamCall,
    { origin }: DispatchOptions,
  ): ConnectError | undefined {
    const { upstream } = this;
    if (status === 407 && this.connections.isForwarded(String(origin))) {
      return restError("UPSTREAM_PROXY_REFUSED", { upstream, status });
    }
    return isStrayPart(status, call) ? restError("UPSTREAM_BODY_PARTIAL", { upstream }) : undefined;
  }

  private get maxErrorBytes(): number {
    return Math.min(MAX_ERROR_BYTES, this.settings.maxResponseBytes);
  }

  /** Decompresses a response when its turn comes. */
  private async decompressed(response: Exchange, { signal, rules, caller = "" }: UpstreamCall) {
    const { status, headers, body, incomplete } = response;
    const encoding = headers["content-encoding"];
    const head = { status, headers, truncated: incomplete !== undefined };
    const turn = async (bytes: Uint8Array) => {
      if (bytes.length > LARGE_BYTES) await LARGE_WORK.turn(caller, bytes.length, signal);
      return bytes;
    };
    if (encoding === undefined || body.length === 0) return { ...head, body: await turn(body) };
    const { maxBytes, tolerant } = this.limits(rules);
    const limit = maxBytes(status);
    const work = async () => turn(await decompress(body, String(encoding), limit, signal));
    try {
      return { ...head, body: await this.decompressing.run(signal, work) };
    } catch (error) {
      if (!(error instanceof DecompressError)) throw error;
      // an error status suffices, even without the text of the error
      if (tolerant(status)) return { ...head, truncated: true, body: new Uint8Array() };
      throw decompressError(error, this.failureContext);
    }
  }

  private get failureContext() {
    return { upstream: this.upstream, settings: this.settings, client: this.connections.kind };
  }
}

/**
 * Reports whether a response is a partial response (RFC 9110 section 15.3.7) that was not requested. The part
 * could be mistaken for the whole response.
 */
function isStrayPart(status: number, { request, rules }: UpstreamCall): boolean {
  if (status !== 206 || rules.success.includes(206)) return false;
  return !request.headers.some(([name]) => name === "range");
}
