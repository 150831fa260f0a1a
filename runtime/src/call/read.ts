import { pool, type Work } from "connect-rest-codec/internal";
import type { MethodRules } from "../adapter/rules.ts";
import { isLarge } from "../response/body.ts";
import { type ReadResponse, readResponse, readResponseInPieces } from "../response/read-response.ts";
import type { ResponseScanner } from "../response/scan-response.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";
import type { RunningCall } from "./running-call.ts";

/** Reads a response, synchronously unless it is large. */
export function read(
  call: RunningCall,
  response: UpstreamResponse,
  rules: MethodRules,
  scan: boolean,
): ReadResponse | Promise<ReadResponse> {
  const scanner = scan ? call.settings.scanner : undefined;
  if (scanner?.isLarge(response.body) === true) {
    call.largeBytes = response.body.length;
    return call.inTurns(readInPieces(call, response, rules, scanner));
  }
  const found = scanner && scanned(call, response, rules, scanner);
  call.readBy = found === undefined ? "decoder" : "scanner";
  if (found !== undefined) return found;
  const now = call.clock.now();
  if (isLarge(response.body)) {
    call.largeBytes = response.body.length;
    return call.inTurns(readResponseInPieces(response, rules, now, call.maxCost));
  }
  return call.knowing(() => readResponse(response, rules, now, call.maxCost));
}

function* readInPieces(
  call: RunningCall,
  response: UpstreamResponse,
  rules: MethodRules,
  scanner: ResponseScanner,
): Work<ReadResponse> {
  const { adapter, maxCost } = call;
  const found =
    adapter.kind === "unary" ? yield* scanner.readInPieces(adapter, rules, response, maxCost) : undefined;
  call.readBy = found === undefined ? "decoder" : "scanner";
  if (found !== undefined) pool.release(response.body);
  return found ?? (yield* readResponseInPieces(response, rules, call.clock.now(), maxCost));
}

function scanned(
  call: RunningCall,
  response: UpstreamResponse,
  rules: MethodRules,
  scanner: ResponseScanner,
): ReadResponse | undefined {
  const { adapter } = call;
  if (adapter.kind === "paginate") {
    const now = call.clock.now();
    return call.knowing(() => scanner.page(adapter, rules, response, now, call.maxCost));
  }
  if (adapter.kind !== "unary") return undefined;
  const result = call.knowing(() => scanner.read(adapter, rules, response, call.maxCost));
  // the message does not refer to the body
  if (result !== undefined) pool.release(response.body);
  return result;
}
