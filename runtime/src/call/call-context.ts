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

/** What a call has beside its messages. */
export interface CallContext {
  /** The headers of the RPC; made when they are asked for, which is seldom. */
  readonly header: () => Headers;
  /** Ends the call; its reason is the error of the call. */
  readonly signal: AbortSignal;
  /**
   * Hands over a listener that is called as `signal` would be aborted, with its reason; at once where it has
   * been. Where this is there, the signal may be made when it is asked for, which is seldom. At most one
   * listener is kept, the last.
   */
  readonly onCancel?: ((listener: ((reason: unknown) => void) | undefined) => void) | undefined;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt: number | undefined;
  /** Whether the caller set a deadline. Without one, retries may not hold it for long. */
  readonly hasCallerDeadline: boolean;
  /**
   * What the function that provides credentials has given for this call already. Default:
   * it is asked for each request.
   */
  readonly provided?: Credentials | undefined;
  /** The feed that the call polls, which counts as a caller: no watcher is to blame for its polls. */
  readonly feed?: string | undefined;
}

/** What running calls share. */
export interface CallSettings {
  readonly options: Pick<RestOptions, "onDifference" | "onRequest" | "onCall" | "callerOf">;
  /** The types by which google.protobuf.Any is resolved. */
  readonly types: Registry;
  /** What is done about each class of difference. */
  readonly levelsOf: (adapter: AnyMethodAdapter) => MethodLevels;
  readonly clock: Clock;
  readonly decoder: Decoder;
  /** Reads usual responses before the decoder is asked; undefined where it is off, or not possible. */
  readonly scanner?: ResponseScanner | undefined;
}

/** How one request differs from the others of its method. */
export interface RequestExtras {
  /** In place of the method's own. */
  readonly rules?: MethodRules;
  readonly stream?: BodyStream;
  /**
   * Whether nothing is asked of the response but its message or page, so that it may be scanned. Default:
   * false.
   */
  readonly scan?: boolean;
  /** Whether it may be sent again where the method allows; never with a stream. Default: true. */
  readonly retry?: boolean;
}

/** How a body is read that comes in pieces. */
export interface OpenExtras {
  /** How long it may pause. Default: the upstream's limit. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Ends it. Default: the end of the call alone does. */
  readonly until?: AbortSignal;
}

type Exactly = () => JsonValue | undefined;

/** The body of a response as it comes. */
export interface Download {
  readonly head: RestResponse;
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * The error that a rule of the method finds in a piece of the body; undefined for none. `exactly` gives the
   * JSON with integers of any size where it does not have them.
   */
  readonly errorIn: (
    json: JsonValue | undefined,
    text: string,
    exactly?: Exactly,
  ) => ConnectError | undefined;
}
