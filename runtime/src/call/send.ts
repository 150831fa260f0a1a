import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { Permit } from "../breaker/breaker.ts";
import { rulesOfRequest } from "../rate-limit/request-condition.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { baseOf } from "../upstream/options.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";
import { attributed, following, ofContext, requestOrigin, retried, type Send } from "./attempts.ts";
import type { RequestExtras } from "./call-context.ts";
import { sendFirst } from "./first-attempt.ts";
import { Observation } from "./observed.ts";
import { read } from "./read.ts";
import type { RunningCall } from "./running-call.ts";

/** Sends a request, retries it if a retry may help, and reads the response. */
export function send(
  call: RunningCall,
  request: RestRequest,
  { rules, stream, retry = true, scan = false }: RequestExtras = {},
): Promise<ReadResponse> {
  const { method } = call.adapter;
  const used = rulesOfRequest(rules ?? call.adapter.rules, method.input, call.requested);
  const mayRetry = retry && stream === undefined;
  const attempt: Send<ReadResponse> = async (onSent, isRetry) => {
    const sent = {
      ...ofContext(call),
      onSecrets: call.sentSecrets.add,
      method,
      rules: used,
      request,
      stream,
      onSent,
      isRetry,
      caller: call.caller,
    };
    const response = await following(call, sent, (each) => call.route.upstream.call(each));
    return await read(call, attributed(call, response), used, scan);
  };
  if (stream !== undefined || !startsAtOnce(call, used)) return retried(call, mayRetry, attempt);
  return attempted(call, request, used, scan, (error) => retried(call, mayRetry, attempt, { error }));
}

function startsAtOnce(call: RunningCall, rules: MethodRules): boolean {
  const { context } = call;
  if (call.trace !== undefined) return false;
  // A context with `onCancel` calls its listener even if the call was already aborted
  const isAborted = context.onCancel === undefined && context.signal.aborted;
  return !isAborted && call.route.upstream.startsAtOnce(rules);
}

/**
 * Makes the first attempt in as few steps as possible. After an error, `again` continues with the second
 * attempt.
 */
async function attempted(
  call: RunningCall,
  request: RestRequest,
  rules: MethodRules,
  scan: boolean,
  again: (error: unknown) => Promise<ReadResponse>,
): Promise<ReadResponse> {
  const { context, progress } = call;
  const { upstream } = call.route;
  const { method } = call.adapter;
  const { onRequest } = call.settings.options;
  const from = requestOrigin(call);
  let permit: Permit | undefined;
  try {
    const admitted = upstream.admit(rules.base, from);
    permit = admitted instanceof Promise ? await admitted : admitted;
    const { verb } = request;
    progress.counts.verb = verb;
    const origin = baseOf(upstream.settings, rules.base)?.origin ?? "";
    const report = { method, upstream: rules.upstream, verb, origin, isRetry: false };
    const observation = new Observation(onRequest, report, request);
    const parts = {
      context,
      upstream,
      method,
      rules,
      request: observation.request,
      caller: from.caller,
      permit,
      progress,
      sentSecrets: call.sentSecrets,
    };
    let response: UpstreamResponse;
    try {
      response = await observation.run(() => sendFirst(parts));
    } catch (error) {
      observation.ended(undefined, error);
      throw error;
    }
    observation.ended(response.status, undefined);
    progress.responded(response, call);
    const reading = read(call, attributed(call, response), rules, scan);
    const result = reading instanceof Promise ? await reading : reading;
    permit.end(undefined);
    upstream.retrier?.succeeded();
    return result;
  } catch (error) {
    permit?.end(error);
    return again(error);
  }
}
