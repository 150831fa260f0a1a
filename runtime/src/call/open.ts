import type { ConnectError } from "@connectrpc/connect";
import type { RestRequest } from "../adapter/rest-request.ts";
import { comparable, type ErrorResponse, errorInStatus, errorInSuccess } from "../errors/upstream-error.ts";
import { rulesOfRequest } from "../rate-limit/request-condition.ts";
import { headerReader } from "../response/headers.ts";
import { errorOf } from "../response/read-response.ts";
import { Pacer } from "../time/pacer.ts";
import { attributed, following, ofContext, retried } from "./attempts.ts";
import type { Download, OpenExtras } from "./call-context.ts";
import type { RunningCall } from "./running-call.ts";

/** Sends a request, retries it if a retry may help, and returns the response with an unread body. */
export function open(
  call: RunningCall,
  request: RestRequest,
  { bodyTimeoutMs, until }: OpenExtras = {},
): Promise<Download> {
  const { method } = call.adapter;
  const rules = rulesOfRequest(call.adapter.rules, method.input, call.requested);
  const signal = until === undefined ? call.context.signal : AbortSignal.any([call.context.signal, until]);
  return retried(call, true, async (onSent, isRetry) => {
    const sent = {
      ...ofContext(call),
      onSecrets: call.sentSecrets.add,
      signal,
      method,
      rules,
      request,
      onSent,
      isRetry,
      bodyTimeoutMs,
    };
    const response = await following(call, sent, (each) => call.route.upstream.open(each));
    const { status, headers, chunks } = response;
    if (chunks === undefined) {
      throw call.knowing(() => errorOf(attributed(call, response), rules, call.clock.now()));
    }
    const head = { status, header: headerReader(headers), payload: undefined, bytes: undefined };
    const errorIn: Download["errorIn"] = (value, text, exactly = () => undefined) => {
      const json = comparable(value, call.adapter.rules, exactly);
      return call.knowing(() => errorInRecord(call, { ...response, ...head, json, body: Buffer.from(text) }));
    };
    return { head, chunks: counted(call, chunks), errorIn };
  });
}

function errorInRecord(call: RunningCall, record: ErrorResponse): ConnectError | undefined {
  const { adapter } = call.route;
  const now = call.clock.now();
  const error = errorInSuccess(record, adapter.rules, now);
  const isOwn = adapter.kind !== "records" || adapter.ownError === true;
  return error ?? (isOwn ? undefined : errorInStatus(record, adapter.rules, now));
}

async function* counted(call: RunningCall, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pacer = new Pacer(call.context.signal);
  for await (const chunk of chunks) {
    call.progress.counts.bytes += chunk.length;
    yield chunk;
    const pause = pacer.bytes(chunk.length);
    if (pause !== undefined) await pause;
  }
}
