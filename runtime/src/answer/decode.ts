import { ConnectError } from "@connectrpc/connect";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import type { JsonValue } from "../adapter/json.ts";
import { restError } from "../errors/rest-error.ts";
import type { Drift } from "../wire/drift.ts";
import { JsonTooDeep, ProtoWriter } from "../wire/proto-writer.ts";
import type { Body } from "./body.ts";
import { payloadOf } from "./envelope.ts";

/** An answer whose status means success, its body read. */
export interface ReadAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Body;
}

/** A response message. */
export interface Decoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What was not as declared. */
  readonly drifts: readonly Drift[];
}

const NOT_UTF8: Drift = { path: "(root)", expected: "UTF-8", got: "other bytes", kind: "coerced" };

/** Turns answers into response messages. One decoder serves all calls of a process: its buffer is reused. */
export class Decoder {
  private readonly out = new ProtoWriter();

  /**
   * Writes the response message. The body was parsed the fast way, which rounds integers beyond 2^53; only where
   * the message needs one of those is it parsed exactly and decoded again.
   *
   * @throws ConnectError INTERNAL, reason UPSTREAM_BODY_TOO_DEEP or ADAPTER_FAILED
   */
  decode(adapter: AnyMethodAdapter, answer: ReadAnswer): Decoded {
    try {
      this.run(adapter, answer, answer.body.value, false);
      if (this.out.inexact) this.run(adapter, answer, answer.body.exactly(), true);
    } catch (cause) {
      throw decodeError(adapter, cause);
    }
    const { drifts } = this.out;
    return { bytes: this.out.finish(), drifts: answer.body.malformed ? [NOT_UTF8, ...drifts] : drifts };
  }

  private run(
    adapter: AnyMethodAdapter,
    { status, header, body: { bytes } }: ReadAnswer,
    value: JsonValue | undefined,
    exact: boolean,
  ): void {
    this.out.reset(exact);
    adapter.response({ status, header, payload: payloadOf(value, adapter.rules.envelope), bytes }, this.out);
  }
}

function decodeError({ method, rules: { upstream } }: AnyMethodAdapter, cause: unknown): ConnectError {
  if (cause instanceof ConnectError) return cause;
  if (cause instanceof JsonTooDeep || cause instanceof RangeError) {
    return restError("UPSTREAM_BODY_TOO_DEEP", { upstream, problem: cause.message }, { cause });
  }
  const name = `${method.parent.typeName}.${method.name}`;
  return restError("ADAPTER_FAILED", { upstream, method: name, step: "reading the answer" }, { cause });
}
