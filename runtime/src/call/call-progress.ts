import { type DifferenceCounts, NO_DIFFERENCES } from "connect-rest-codec/internal";
import { passHeaders } from "../response/headers.ts";
import type { Secret } from "../text/secret.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";
import { sumOf } from "./differences.ts";
import type { CallReport } from "./options.ts";

type Counts = {
  -readonly [K in
    | "verb"
    | "upstreamStatus"
    | "attempts"
    | "bytes"
    | "droppedHeaders"
    | "differences"]: CallReport[K];
};

/** The results of a call so far. */
export class CallProgress {
  readonly counts: Counts = {
    verb: undefined,
    upstreamStatus: undefined,
    attempts: 0,
    bytes: 0,
    droppedHeaders: 0,
    differences: NO_DIFFERENCES.counts,
  };
  private firstHeaders: Headers | undefined;

  /** The headers of the upstream's first response that the caller receives. Empty before that response. */
  get header(): Headers {
    return this.firstHeaders ?? new Headers();
  }

  /** @param call provides the secrets that headers for the caller must not contain */
  responded(
    { status, headers, body }: UpstreamResponse,
    call: { readonly secrets: () => readonly Secret[] },
  ): void {
    this.counts.upstreamStatus = status;
    this.counts.bytes += body.length;
    if (this.firstHeaders !== undefined) return;
    const passed = passHeaders(headers, call);
    this.firstHeaders = passed.headers;
    this.counts.droppedHeaders = passed.dropped;
  }

  differed(counts: DifferenceCounts): void {
    this.counts.differences = sumOf(this.counts.differences, counts);
  }
}
