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
  /** Returns the headers of the RPC; created lazily, since they are rarely needed. */
  readonly header: () => Headers;
  /** Ends the call; its reason is the error of the call. */
  readonly signal: AbortSignal;
  /**
   * Registers a listener that is called with the abort reason when `signal` would be aborted; immediately if
   * it already was. A context that has this function may create its signal lazily. Only the last listener is
   * kept.
   */
  readonly onCancel?: ((listener: ((reason: unknown) => void) | undefined) => void) | undefined;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt: number | undefined;
  /** Whether the caller set a deadline. Without one, retries may delay the call only briefly. */
  readonly hasCallerDeadline: boolean;
  /**
   * The credentials that the credentials function already returned for this call. Default: the function is
   * called for each request.
   */
  readonly provided?: Credentials | undefined;
  /**
   * The feed that the call polls. The feed counts as the caller, since no watcher is responsible for its
   * polls.
   */
  readonly feed?: string | undefined;
}

/** Settings that all running calls share. */
export interface CallSettings {
  readonly options: Pick<RestOptions, "onDifference" | "onRequest" | "onCall" | "callerOf">;
  /** The types that google.protobuf.Any resolves to. */
  readonly types: Registry;
  /** Returns the level for each class of difference. */
  readonly levelsOf: (adapter: AnyMethodAdapter) => MethodLevels;
  readonly clock: Clock;
  readonly decoder: Decoder;
  /** Reads typical responses before the decoder is tried; undefined if disabled or unavailable. */
  readonly scanner?: ResponseScanner | undefined;
}

/** The properties of one request that differ from its method. */
export interface RequestExtras {
  /** Replaces the rules of the method. */
  readonly rules?: MethodRules;
  readonly stream?: BodyStream;
  /**
   * Whether the caller needs only the message or page of the response, so that it may be scanned. Default:
   * false.
   */
  readonly scan?: boolean;
  /** Whether the request may be retried if the method allows it; never with a stream. Default: true. */
  readonly retry?: boolean;
}

/** Options for reading a body in pieces. */
export interface OpenExtras {
  /** The longest pause within the body. Default: the upstream's limit. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Ends the body. Default: only the end of the call ends it. */
  readonly until?: AbortSignal;
}

type Exactly = () => JsonValue | undefined;

/** A response whose body is read as it arrives. */
export interface Download {
  readonly head: RestResponse;
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Returns the error that a rule of the method finds in a piece of the body, if any. `exactly` returns the
   * JSON with integers of any size if the piece does not have them.
   */
  readonly errorIn: (
    json: JsonValue | undefined,
    text: string,
    exactly?: Exactly,
  ) => ConnectError | undefined;
}
