import type { DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { StepUp } from "./account.tsx";
import { parts } from "./client.ts";
import { Copy } from "./copy.tsx";
import { isObject } from "./json.ts";
import { type Header, RpcError } from "./rpc.ts";
import { pathOf } from "./schema.ts";
import { TextView } from "./text-view.tsx";

/** The pause after the last change of a request before it is explained, in milliseconds. */
const PAUSE_MS = 300;

interface ExplanationProps {
  readonly method: DescMethod;
  readonly message: JsonValue;
  readonly headers: readonly Header[];
  /** Whether the message cannot be sent. */
  readonly isFatal: boolean;
}

/** The HTTP request that the call becomes, and on demand the HTTP response. */
export function ExplanationView({ method, message, headers, isFatal }: ExplanationProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [explained, setExplained] = useState<JsonObject | RpcError>();
  const [mayChange, setMayChange] = useState(false);
  const explain = async (options: JsonObject, signal: AbortSignal) => {
    const found = await explanationOf(method, message, headers, options, signal);
    if (!signal.aborted) setExplained(found);
  };
  useEffect(() => {
    if (!isOpen || isFatal) return;
    const abort = new AbortController();
    const timer = setTimeout(() => void explain({}, abort.signal), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [isOpen, isFatal, message]);
  const readOnly =
    explained !== undefined && !(explained instanceof RpcError) && isReading(method, explained);
  return (
    <details class="explanation" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>HTTP request to the upstream</summary>
      {explained instanceof RpcError ? (
        <>
          <p class="problem">
            {explained.code}: {explained.message}
          </p>
          <StepUp challenge={explained.challenge} />
        </>
      ) : explained !== undefined ? (
        <>
          <TextView label="HTTP request to the upstream">{String(explained.text ?? "")}</TextView>
          <div class="actions-inline">
            <button
              type="button"
              disabled={!readOnly && !mayChange}
              onClick={() => void explain({ send: true, confirm: mayChange }, new AbortController().signal)}
            >
              Send, and show the HTTP response
            </button>
            {readOnly ? null : (
              <label>
                <input
                  type="checkbox"
                  checked={mayChange}
                  onChange={(event) => setMayChange(event.currentTarget.checked)}
                />{" "}
                The call may change data
              </label>
            )}
            <Copy what="as curl" text={() => String(explained.curl ?? "")} />
          </div>
        </>
      ) : null}
    </details>
  );
}

/** Returns whether the gateway sends the call without a confirmation. */
function isReading(method: DescMethod, { requests }: JsonObject): boolean {
  const [first] = Array.isArray(requests) ? requests : [];
  return method.idempotency === 1 || (isObject(first) && /^(?:GET|HEAD)$/.test(String(first.verb)));
}

async function explanationOf(
  method: DescMethod,
  message: JsonValue,
  headers: readonly Header[],
  options: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject | RpcError> {
  const request = { method: pathOf(method), message: JSON.stringify(message), ...options };
  try {
    const all = { message: request, headers, timeoutMs: undefined };
    for await (const part of parts("connectrest.explain.v1.ExplainService/Explain", false, all, signal)) {
      if (part.kind === "message" && isObject(part.json)) return part.json;
    }
    return new RpcError("unknown", "the gateway sent no explanation");
  } catch (error) {
    return error instanceof RpcError ? error : new RpcError("unavailable", String(error));
  }
}
