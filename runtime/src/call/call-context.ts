import type { Registry } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Clock, JsonValue } from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import type { RestResponse } from "../adapter/rest-response.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Decoder } from "../response/decode.ts";
import type { ResponseScanner } from "../response/scan-response.ts";
import type { BodyStream } from "../upstream/outgoing.ts";
import type { MethodLevels } from "./difference-levels.ts";
import type { RestOptions } from "./options.ts";

/** The properties of a call other than its messages. */
export interface CallContext {
  /** Returns the headers of the RPC. Created lazily, since they are rarely needed. */
  readonly header: () => Headers;
  /** Aborted when the call ends early. The reason of the signal is the error of the call. */
  readonly signal: AbortSignal;
  /**
   * Registers a listener that is called with the abort reason when the call is cancelled, or immediately if
   * it has already been cancelled. A context that has this function may create its signal lazily. Only the
   * last listener is kept.
   */
  readonly onCancel?: ((listener: ((reason: unknown) => void) | undefined) => void) | undefined;
  /** The time of the deadline on the monotonic scale of the clock. Undefined if there is no deadline. */
  readonly expiresAt: number | undefined;
  /**
   * Whether the caller set a deadline. Without a caller's deadline, retries may delay the call only briefly.
   */
  readonly hasCallerDeadline: boolean;
  /**
   * The credentials that the credentials function already returned for this call. Default: the function is
   * called for each request.
   */
  readonly provided?: Credentials | undefined;
  /**
   * The feed that the call polls. No single watcher is the caller of a poll, so the feed counts as its
   * caller.
   */
  readonly feed?: string | undefined;
}

/** Settings that all running calls share. */
export interface CallSettings {
  readonly options: Pick<RestOptions, "onDifference" | "onRequest" | "onCall" | "callerOf" | "recorder">;
  /** The types that google.protobuf.Any may contain. */
  readonly types: Registry;
  /** Returns a method's level for each class of difference. */
  readonly levelsOf: (adapter: AnyMethodAdapter) => MethodLevels;
  readonly clock: Clock;
  readonly decoder: Decoder;
  /**
   * The scanner, which reads typical responses before the decoder does. Undefined if it is disabled or
   * unavailable.
   */
  readonly scanner?: ResponseScanner | undefined;
}

/** The properties of one request that differ from the properties of its method. */
export interface RequestExtras {
  /** The rules to apply in place of the method's rules. */
  readonly rules?: MethodRules;
  readonly stream?: BodyStream;
  /** Whether the response may be scanned, since the caller needs only its message or page. Default: false. */
  readonly scan?: boolean;
  /**
   * Whether the request may be retried if the method allows it. Requests with a stream are never retried.
   * Default: true.
   */
  readonly retry?: boolean;
}

/** Options for reading a body in pieces. */
export interface OpenExtras {
  /** The longest pause within the body, in milliseconds. Default: the limit of the upstream. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Ends the body. Default: the body ends only with the call. */
  readonly until?: AbortSignal;
}

type Exactly = () => JsonValue | undefined;

/** A response whose body is read as it arrives. */
export interface Download {
  readonly head: RestResponse;
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Returns the error that a rule of the method finds in a piece of the body, if any. `exactly` returns the
   * JSON of the piece without rounding integers.
   */
  readonly errorIn: (
    json: JsonValue | undefined,
    text: string,
    exactly?: Exactly,
  ) => ConnectError | undefined;
}
