import type { DescMethod, JsonValue } from "@bufbuild/protobuf";
import { parts } from "./client.ts";
import { type ShownError, shownError } from "./error.ts";
import { type Header, type Request, RpcError } from "./rpc.ts";
import { pathOf, type Schema } from "./schema.ts";

/** The messages of a stream that the page keeps; earlier ones are dropped. */
export const MAX_MESSAGES = 500;

/** The time between two updates of the page during a stream, in milliseconds. */
const UPDATE_MS = 100;

/** A call, and the part of its response that has arrived. */
export interface Result {
  readonly state: "running" | "ok" | "failed";
  /** The last messages. */
  readonly messages: readonly JsonValue[];
  /** The number of dropped messages. */
  readonly dropped: number;
  /** The size of all messages. */
  readonly bytes: number;
  readonly header: readonly Header[];
  readonly trailer: readonly Header[];
  readonly durationMs: number;
  readonly error: ShownError | undefined;
}

/** Calls a method, and passes each state of the call to `onChange`. Never rejects. */
export async function call(
  schema: Schema,
  method: DescMethod,
  request: Request,
  signal: AbortSignal,
  onChange: (result: Result) => void,
): Promise<void> {
  const running = new RunningCall(onChange);
  running.show();
  try {
    const isStream = method.methodKind !== "unary";
    for await (const part of parts(pathOf(method), isStream, request, signal)) {
      if (part.kind === "message") {
        running.receive(part.json, part.bytes);
      } else {
        running.change({ [part.kind]: part.headers });
      }
    }
    running.change({ state: "ok" });
  } catch (error) {
    running.change({ state: "failed", error: shownError(asRpcError(error, signal), schema) });
  }
  running.show();
}

function asRpcError(error: unknown, signal: AbortSignal): RpcError {
  if (signal.aborted) return new RpcError("canceled", "you canceled the call");
  if (error instanceof RpcError) return error;
  return new RpcError("unavailable", error instanceof Error ? error.message : String(error));
}

/** Collects the parts of a response, and shows them a few times per second. */
class RunningCall {
  private readonly onChange: (result: Result) => void;
  private readonly startedAt = performance.now();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private result: Result = {
    state: "running",
    messages: [],
    dropped: 0,
    bytes: 0,
    header: [],
    trailer: [],
    durationMs: 0,
    error: undefined,
  };

  constructor(onChange: (result: Result) => void) {
    this.onChange = onChange;
  }

  receive(message: JsonValue, size: number): void {
    const { messages, dropped, bytes } = this.result;
    const isFull = messages.length === MAX_MESSAGES;
    this.change({
      messages: [...(isFull ? messages.slice(1) : messages), message],
      dropped: dropped + Number(isFull),
      bytes: bytes + size,
    });
  }

  change(next: Partial<Result>): void {
    this.result = { ...this.result, ...next };
    this.timer ??= setTimeout(() => this.show(), UPDATE_MS);
  }

  show(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.onChange({ ...this.result, durationMs: performance.now() - this.startedAt });
  }
}
