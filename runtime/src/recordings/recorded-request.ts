import type { Clock } from "connect-rest-codec/internal";
import { type TracedParts, TracedRequest } from "../explain/traced-request.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import type { DispatchController } from "../http/requester.ts";

/** The response of a complete exchange. */
export interface CapturedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The body as it was received. Undefined if it is larger than the recorder keeps. */
  readonly body: Buffer | undefined;
  /** The size of the body in bytes. */
  readonly bytes: number;
}

/** The memory for the bodies of running exchanges. */
export interface HeldBytes {
  /** Reserves memory. Returns false if there is none. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

/** Keeps the body of a response, up to a limit, while passing it on. */
export class RecordedRequest extends TracedRequest {
  readonly startedDate: number;
  private readonly held: HeldBytes;
  private readonly maxBytes: number;
  private readonly onEnd: (request: RecordedRequest) => void;
  private chunks: Buffer[] | undefined = [];
  private kept = 0;

  /** @param onEnd called when the response is complete */
  constructor(
    parts: TracedParts,
    clock: Clock,
    held: HeldBytes,
    maxBytes: number,
    onEnd: (request: RecordedRequest) => void,
  ) {
    super(parts, clock);
    this.startedDate = clock.now();
    this.held = held;
    this.maxBytes = maxBytes;
    this.onEnd = onEnd;
  }

  override onResponseData(controller: DispatchController, chunk: Buffer): void {
    if (this.chunks !== undefined) {
      if (this.kept + chunk.length > this.maxBytes || !this.held.take(chunk.length)) {
        this.drop();
      } else {
        this.kept += chunk.length;
        // the chunk belongs to its receiver, which may reuse its memory
        this.chunks.push(Buffer.from(chunk));
      }
    }
    super.onResponseData(controller, chunk);
  }

  override onResponseEnd(controller: DispatchController, trailers: ResponseHeaders): void {
    super.onResponseEnd(controller, trailers);
    this.onEnd(this);
  }

  override onResponseError(controller: DispatchController, error: Error): void {
    this.drop();
    super.onResponseError(controller, error);
  }

  /** Returns the response, and gives back its memory. Undefined without a response. */
  taken(): CapturedResponse | undefined {
    const { head, bytes, chunks } = this;
    const body = chunks && Buffer.concat(chunks);
    this.drop();
    return head && { ...head, body, bytes };
  }

  private drop(): void {
    this.held.giveBack(this.kept);
    this.kept = 0;
    this.chunks = undefined;
  }
}
