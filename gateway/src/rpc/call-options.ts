import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { Authenticate } from "connect-rest-authorization";
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

/** What the steps of a call need. */
export interface CallOptions extends DispatchOptions {
  /** Finds out whose a call is. Undefined: callers are not authorized. */
  readonly authenticate: Authenticate | undefined;
  /** What callers are told whom an upstream does not know. Undefined: callers are not authorized. */
  readonly challenge: string | undefined;
  /** The streams whose tokens may end before they do. Undefined: callers are not authorized. */
  readonly authorizedStreams: AuthorizedStreams | undefined;
  readonly methodTimeout: MethodTimeout;
  readonly admission: Admission;
  /** The streams that watch feeds. */
  readonly watchers: Watchers;
  /** Whether a method watches a feed: it may wait for hours, and is not counted with other calls. */
  readonly isWatch: (method: DescMethod) => boolean;
  /** What all calls hold of their requests. */
  readonly heldBytes: HeldBytes;
  /** What all calls hold of their responses. */
  readonly heldResponses: HeldResponses;
  /** What unary calls of the fast path send their responses by. */
  readonly outbox: Outbox;
  /** The upstream that a method calls; undefined for none. */
  readonly shareOf: (method: DescMethod) => UpstreamShare | undefined;
  /** Services whose calls are taken however busy the gateway is. */
  readonly isAlwaysServed: (service: DescService) => boolean;
  /** Notified of the HTTP status of a request that names no method, or a protocol that it does not speak. */
  readonly onRejected: (status: number) => void;
  /** Notified of every call that was not admitted, after its response. */
  readonly onOverLimit: (call: Call, rejected: LimitRejection) => void;
  /** Notified of every call that was admitted, once its response is out; `error` is a defect of ours. */
  readonly onDone: (call: Call, status: number, error?: unknown) => void;
  /** Notified of a defect before there was a call, and beside it. */
  readonly onError: (error: unknown) => void;
}
