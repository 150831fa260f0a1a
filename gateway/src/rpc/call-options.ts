import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { Authenticate, Authorize } from "connect-rest-authorization";
import type { Admission, UpstreamShare } from "../admission/admission.ts";
import type { HeldBytes } from "../admission/held-bytes.ts";
import type { HeldResponses } from "../admission/held-responses.ts";
import type { Watchers } from "../admission/watchers.ts";
import type { AuthorizedStreams } from "../authorization/authorized-streams.ts";
import type { Call } from "../call/call.ts";
import type { MethodTimeout } from "../call/deadline.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import type { DispatchOptions } from "./dispatch.ts";
import type { Outbox } from "./outbox.ts";

/** The dependencies that all steps of a call share. */
export interface CallOptions extends DispatchOptions {
  /** Identifies the caller; undefined if callers are not authorized. */
  readonly authenticate: Authenticate | undefined;
  /** Checks whether a caller may call another method; undefined if callers are not authorized. */
  readonly authorize: Authorize | undefined;
  /** The WWW-Authenticate challenge for errors with status 401; undefined if callers are not authorized. */
  readonly challenge: string | undefined;
  /** The streams that may outlive their tokens; undefined if callers are not authorized. */
  readonly authorizedStreams: AuthorizedStreams | undefined;
  readonly methodTimeout: MethodTimeout;
  readonly admission: Admission;
  /** The streams that watch feeds. */
  readonly watchers: Watchers;
  /**
   * Returns whether a method watches a feed. Such a call may wait for hours, and does not count as a call in
   * flight.
   */
  readonly isWatch: (method: DescMethod) => boolean;
  /** Counts the memory that the requests of all calls hold. */
  readonly heldBytes: HeldBytes;
  /** Counts the memory that the responses of all calls hold. */
  readonly heldResponses: HeldResponses;
  /** Sends responses that become ready in the same event-loop turn together. */
  readonly outbox: Outbox;
  /** Returns the upstream that a method calls, or undefined if it calls none. */
  readonly shareOf: (method: DescMethod) => UpstreamShare | undefined;
  /** Returns whether calls of a service are served even under overload. */
  readonly isAlwaysServed: (service: DescService) => boolean;
  /** Receives the HTTP status of each request that names no method or uses an unsupported protocol. */
  readonly onRejected: (status: number) => void;
  /** Receives every call that was not admitted, once its response has been sent. */
  readonly onOverLimit: (call: Call, rejected: LimitRejection) => void;
  /** Receives every admitted call, once its response has been sent. `error` is an internal defect. */
  readonly onDone: (call: Call, status: number, error?: unknown) => void;
  /** Receives internal defects outside of a call. */
  readonly onError: (error: unknown) => void;
}
