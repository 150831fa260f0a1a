import type { RestRequest } from "../adapter/rest-request.ts";
import { type RequestOrigin, UNWATCHED } from "../breaker/breaker.ts";
import { hasCallerCredentials } from "../credentials/caller-credentials.ts";
import { withRetries } from "../retry/with-retries.ts";
import { fullName } from "../text/full-name.ts";
import { baseOf } from "../upstream/options.ts";
import type { UpstreamCall, UpstreamResponse } from "../upstream/upstream.ts";
import { observed } from "./observed.ts";
import type { RunningCall } from "./running-call.ts";

/** Sends a request and calls `onSent` when it is sent. `isRetry` is true from the second attempt on. */
export type Send<T> = (onSent: () => void, isRetry: boolean) => Promise<T>;

/**
 * Sends a request, and retries it if a retry may help.
 *
 * @param failed the error of the first attempt, if that attempt was already made
 */
export function retried<T>(
  call: RunningCall,
  retry: boolean,
  send: Send<T>,
  failed?: { readonly error: unknown },
): Promise<T> {
  const { retrier, closing } = call.route.upstream;
  const { signal, expiresAt } = call.context;
  const { idempotent } = call.adapter.rules;
  const { clock } = call;
  const context = {
    retrier: retry ? retrier : undefined,
    idempotent,
    signal,
    expiresAt,
    closing,
    clock,
    allowance: call.allowance,
  };
  let isRetry = failed !== undefined;
  let first = failed;
  return withRetries(() => {
    if (first !== undefined) {
      const { error } = first;
      first = undefined;
      return Promise.reject(error);
    }
    const sending = permitted(call, send, isRetry);
    isRetry = true;
    return sending;
  }, context);
}

async function permitted<T>(call: RunningCall, send: Send<T>, isRetry: boolean): Promise<T> {
  const { trace } = call.context;
  const permit =
    trace?.isDry === true
      ? UNWATCHED
      : await call.route.upstream.admit(call.adapter.rules.base, requestOrigin(call));
  try {
    const result = await send(() => {
      call.progress.counts.attempts++;
      permit.sent();
    }, isRetry);
    permit.end(undefined);
    return result;
  } catch (error) {
    permit.end(error);
    throw error;
  }
}

/** Returns the origin of a request: its caller, or the feed that is polled. */
export function requestOrigin(call: RunningCall): RequestOrigin {
  const method = fullName(call.adapter.method);
  return { caller: call.caller, method, signal: () => call.context.signal };
}

/**
 * Sends a request, follows its redirects, and repeats it with refreshed credentials. The request observer
 * sees each of these requests.
 */
export async function following<T extends UpstreamResponse>(
  call: RunningCall,
  first: UpstreamCall,
  send: (call: UpstreamCall) => Promise<T>,
): Promise<T> {
  let next: UpstreamCall | undefined = first;
  for (;;) {
    const current: UpstreamCall = next;
    const response = await observe(call, current, (request) => send({ ...current, request }));
    const { upstream } = call.route;
    next = upstream.redirected(current, response) ?? (await upstream.refreshed(current, response));
    if (next === undefined) return response;
  }
}

async function observe<T extends UpstreamResponse>(
  call: RunningCall,
  { request, hop, isRetry = false }: UpstreamCall,
  send: (request: RestRequest) => Promise<T>,
): Promise<T> {
  const { verb } = request;
  const { method, rules } = call.adapter;
  call.progress.counts.verb = verb;
  const origin = hop?.origin ?? baseOf(call.route.upstream.settings, rules.base)?.origin ?? "";
  const report = { method, upstream: rules.upstream, verb, origin, isRetry };
  const response = await observed(call.settings.options.onRequest, report, request, send);
  call.progress.responded(response, call);
  return response;
}

/** Copies the fields by name, since a spread would not copy fields that a context computes lazily. */
export function ofContext({
  context,
  trace,
}: RunningCall): Pick<UpstreamCall, "header" | "signal" | "expiresAt" | "provided" | "trace"> {
  const { header, signal, expiresAt, provided } = context;
  return { header, signal, expiresAt, provided, trace };
}

/** Marks the credentials of a response as the caller's own if the request message contained them. */
export function attributed<T extends UpstreamResponse>(call: RunningCall, response: T): T {
  const { method, rules } = call.adapter;
  const fields = rules.credentialFields;
  if (!response.configuredCredentials || fields === undefined || call.requested === undefined) {
    return response;
  }
  const isOfCaller = hasCallerCredentials(method.input, call.requested, fields);
  return isOfCaller ? { ...response, configuredCredentials: false } : response;
}
