import type { IncomingMessage, ServerResponse } from "node:http";
import { writeJson } from "../json.ts";
import type { Fault } from "./faults.ts";
import { decodePairs, Fields } from "./fields.ts";
import { document, type HeaderMap, type HttpResponse, type Rejection, reject } from "./response.ts";
import { spoilBody } from "./spoil.ts";

const FUNCTION_NAME = /^[A-Za-z_$][A-Za-z0-9_$.]{0,127}$/;

/**
 * Returns the function name in `jsonp` or `callback` of a GET request. `jsonp` takes precedence. Throws 400
 * for an invalid name.
 */
function jsonpName(request: IncomingMessage): string | undefined {
  const url = request.url ?? "";
  if (request.method !== "GET" || !url.includes("?")) return undefined;
  const query = new Fields(decodePairs(url.slice(url.indexOf("?") + 1)));
  const name = query.text("jsonp") ?? query.text("callback");
  if (name === undefined || FUNCTION_NAME.test(name)) return name;
  throw reject(400, "Invalid JSONP function name");
}

interface Wire {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
}

function wire(sent: HttpResponse, jsonp: string | undefined, drift: (json: unknown) => unknown): Wire {
  const { body, status } = sent;
  if (body.kind === "none") return { status, type: undefined, body: Buffer.alloc(0) };
  if (body.kind === "text") return { status, type: body.type, body: Buffer.from(body.text) };
  if (body.kind === "bytes") return { status, type: body.type, body: Buffer.from(body.bytes) };
  const json = writeJson(drift(document(sent)));
  if (jsonp === undefined) {
    return { status, type: "application/json; charset=utf-8", body: Buffer.from(json) };
  }
  const script = Buffer.from(`${jsonp}(${json});`);
  return { status: 200, type: "application/javascript; charset=utf-8", body: script };
}

function setHeaders(out: ServerResponse, headers: HeaderMap, { status, type, body }: Wire): void {
  out.statusCode = status;
  if (type !== undefined) out.setHeader("content-type", type);
  if (status !== 304 && status !== 204) out.setHeader("content-length", body.length);
  for (const [name, value] of Object.entries(headers)) out.setHeader(name, value);
}

function changeHeaders(out: ServerResponse, fault: Fault): void {
  if (!("headers" in fault)) return;
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    if (value === undefined) {
      out.removeHeader(name);
    } else {
      out.setHeader(name, value);
    }
  }
}

/** Writes a response, as JSONP if requested, and applies a fault if there is one. */
export async function send(
  request: IncomingMessage,
  out: ServerResponse,
  wanted: HttpResponse,
  fault: Fault | undefined,
  allowJsonp: boolean,
): Promise<void> {
  let name: string | undefined;
  let real = wanted;
  try {
    name = allowJsonp ? jsonpName(request) : undefined;
  } catch (error) {
    real = (error as Rejection).response;
  }
  const drift = fault && "drift" in fault ? fault.drift : (json: unknown) => json;
  const sent = wire(real, name, drift);
  if (out.destroyed) return;
  setHeaders(out, real.headers, sent);
  if (fault) {
    changeHeaders(out, fault);
    await spoilBody(fault, out, sent.body);
  } else {
    out.end(sent.body);
  }
}
