import { type DescMethod, fromBinary, type JsonValue, type Registry, toJson } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { codeToString, errorToJson } from "@connectrpc/connect/protocol-connect";
import { type Rest, reasonOf } from "connect-rest-runtime";
import type { AnyMethodAdapter } from "connect-rest-runtime/internal";
import { noTrace } from "../call/call.ts";
import { errorForCaller } from "../call/call-errors.ts";
import type { Caller } from "../call/caller.ts";
import { callerKey } from "../call/caller-key.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { BODY_BOUNDS, boundedError } from "../protocol/bounded-error.ts";
import type { CallOptions } from "../rpc/call-options.ts";
import { InnerCalls, type OuterCall } from "../rpc/inner-calls.ts";
import { MCP_DEFAULTS, type McpOptions } from "./options.ts";
import type { StreamEnd, Tool } from "./tool.ts";

/** The result of a tool. */
export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
}

/** One request of a client for tools. */
export interface ToolRequest {
  readonly caller: Caller;
  /** The headers of the request that upstream credentials may use. */
  readonly header: Headers;
  readonly signal: AbortSignal;
  /** Called with the number of messages of a stream so far. */
  readonly onProgress: (count: number) => void;
}

type Adapter = Exclude<AnyMethodAdapter, { readonly kind: "upload" }>;

/** Calls methods as tools, with the authorization, the limits, the deadline and the log line of RPC calls. */
export class ToolCalls {
  private readonly rest: Rest;
  private readonly calls: InnerCalls;
  private readonly challenge: string | undefined;
  private readonly limits: Readonly<Record<"maxResultBytes" | "maxMessages" | "maxStreamSeconds", number>>;
  private readonly adapters: ReadonlyMap<DescMethod, Adapter>;

  constructor(rest: Rest, options: CallOptions, mcp: McpOptions) {
    this.rest = rest;
    this.calls = new InnerCalls(options);
    this.challenge = options.challenge;
    this.limits = {
      maxResultBytes: mcp.maxResultBytes ?? MCP_DEFAULTS.maxResultBytes,
      maxMessages: mcp.maxMessages ?? MCP_DEFAULTS.maxMessages,
      maxStreamSeconds: mcp.maxStreamSeconds ?? MCP_DEFAULTS.maxStreamSeconds,
    };
    this.adapters = new Map(
      rest.adapters.flatMap(({ methods }) =>
        Object.values(methods).flatMap((adapter) =>
          adapter.kind === "upload" ? [] : [[adapter.method, adapter] as const],
        ),
      ),
    );
  }

  /** @throws ConnectError with the challenge of the method, if its caller lacks a scope */
  authorize(tool: Tool, caller: Caller): void {
    this.calls.authorize(caller, tool.method);
  }

  /** Calls a tool. An error of the call is a result, which a model can read. */
  async call(tool: Tool, given: JsonValue, request: ToolRequest): Promise<ToolResult> {
    try {
      return structured(await this.run(tool, given, request), this.limits.maxResultBytes);
    } catch (error) {
      return errorResult(
        errorForCaller(error, { failedInHandler: false, challenge: this.challenge }),
        this.rest.types,
      );
    }
  }

  private async run(tool: Tool, given: JsonValue, request: ToolRequest): Promise<JsonValue> {
    const { method } = tool;
    const adapter = this.adapters.get(method);
    if (adapter === undefined) throw new Error(`${tool.path} has no adapter`);
    this.authorize(tool, request.caller);
    const message = await this.calls.read(
      method,
      JSON.stringify(tool.isInputWrapped ? wrappedValue(given) : given),
    );
    const outer = outerCall(request.caller, this.challenge);
    const { value } = await this.calls.run(outer, method, request.signal, async (signal) => {
      const context = {
        header: () => request.header,
        signal,
        expiresAt: undefined,
        hasCallerDeadline: false,
      };
      const json = (bytes: Uint8Array) =>
        toJson(method.output, fromBinary(method.output, bytes), { registry: this.rest.types });
      if (adapter.kind !== "unary") {
        const stream = this.rest.stream(adapter, message, context);
        return { error: undefined, value: await this.collect(stream, json, request.onProgress) };
      }
      const { bytes } = await this.rest.call(adapter, message, context);
      return { error: undefined, value: objectOf(json(bytes)) };
    });
    return value;
  }

  /** Collects the messages of a stream up to the limits, and then ends the stream. */
  private async collect(
    stream: Stream,
    json: (bytes: Uint8Array) => JsonValue,
    onProgress: (count: number) => void,
  ): Promise<JsonValue> {
    const { maxMessages, maxResultBytes, maxStreamSeconds } = this.limits;
    const messages: JsonValue[] = [];
    let bytes = 0;
    const time = timeout(maxStreamSeconds * 1000);
    const finish = async (end: StreamEnd) => {
      await stream.return();
      return { messages, end };
    };
    try {
      for (;;) {
        if (messages.length === maxMessages) return await finish("message_limit");
        const step = await Promise.race([stream.next(), time.over]);
        if (step === "time_limit") return await finish(step);
        if (step.done === true) return { messages, end: "complete" };
        const message = json(step.value);
        bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
        if (bytes > maxResultBytes - END_BYTES && messages.length > 0) return await finish("byte_limit");
        messages.push(message);
        onProgress(messages.length);
      }
    } finally {
      time.stop();
    }
  }
}

/** The bytes of the result of a stream without its messages, rounded up. */
const END_BYTES = 64;

interface Stream {
  next(): Promise<IteratorResult<Uint8Array, unknown>>;
  return(): Promise<unknown>;
}

function timeout(ms: number): { readonly over: Promise<"time_limit">; readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"time_limit">((resolve) => {
    timer = setTimeout(() => resolve("time_limit"), ms);
  });
  return { over, stop: () => clearTimeout(timer) };
}

function outerCall(caller: Caller, challenge: string | undefined): OuterCall {
  const { requestId, client, subject } = caller;
  return { key: callerKey(caller), requestId, client, subject, protocol: "mcp", challenge, trace: noTrace };
}

function wrappedValue(given: JsonValue): JsonValue {
  const { value = null } = given as { readonly value?: JsonValue };
  return value;
}

function objectOf(value: JsonValue): JsonValue {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value };
}

/**
 * Returns a result with a value, which clients read both as text and as data.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED if the value is too large
 */
export function structured(value: JsonValue, maxBytes: number): ToolResult {
  const text = JSON.stringify(value);
  const size = Buffer.byteLength(text);
  if (size > maxBytes) {
    const message = `the result has ${size} bytes, more than mcp.maxResultBytes, ${maxBytes}; request fewer items, e.g. with a limit, or one item`;
    throw gatewayError("RESPONSE_TOO_LARGE", message, Code.ResourceExhausted);
  }
  return { content: [{ type: "text", text }], structuredContent: value as Record<string, unknown> };
}

/** Returns a result with the code, the reason, the text and the details of an error. */
export function errorResult(error: ConnectError, types: Registry): ToolResult {
  const { details: printed = [] } = errorToJson(boundedError(error, BODY_BOUNDS), { registry: types }) as {
    readonly details?: readonly {
      readonly type: string;
      readonly value: string;
      readonly debug?: JsonValue;
    }[];
  };
  const details = printed.flatMap(({ type, value, debug = debugOf(type, value, types) }) =>
    debug === undefined ? [] : [{ "@type": type, ...(objectOf(debug) as object) }],
  );
  const body = {
    code: codeToString(error.code),
    ...(reasonOf(error) !== undefined && { reason: reasonOf(error) }),
    message: error.rawMessage,
    ...(details.length > 0 && { details }),
  };
  return { content: [{ type: "text", text: JSON.stringify(body) }], isError: true };
}

/** Returns the JSON of a detail that an upstream sent as bytes; undefined if its type is unknown. */
function debugOf(type: string, base64: string, types: Registry): JsonValue | undefined {
  const desc = types.getMessage(type);
  if (desc === undefined) return undefined;
  try {
    return toJson(desc, fromBinary(desc, Buffer.from(base64, "base64")), { registry: types });
  } catch {
    return undefined;
  }
}
