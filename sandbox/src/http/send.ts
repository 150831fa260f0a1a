import type { IncomingMessage, ServerResponse } from "node:http";
import { writeJson } from "../json.ts";
import type { Fault } from "./faults.ts";
import { decodePairs, Fields } from "./fields.ts";
import { type Answer, document, refuse } from "./response.ts";
import { spoilBody } from "./spoil.ts";

const FUNCTION_NAME = /^[A-Za-z_$][A-Za-z0-9_$.]{0,127}$/;

/** The function named by `jsonp` or `callback` (the first wins) of a GET request. Throws 400 for a bad name. */
function jsonpName(request: IncomingMessage): string | undefined {
  const url = request.url ?? "";
  if (request.method !== "GET" || !url.includes("?")) return undefined;
  const query = new Fields(decodePairs(url.slice(url.indexOf("?") + 1)));
  const name = query.text("jsonp") ?? query.text("callback");
  if (name === undefined || FUNCTION_NAME.test(name)) return name;
  throw refuse(400, "Invalid JSONP function name");
}

interface Wire {
  status: number;
  type: string | undefined;
  body: Buffer;
}

function wire(answer: Answer, jsonp: string | undefined, drift: (json: unknown) => unknown): Wire {
  const { body, status } = answer;
  if (body.kind === "none") return { status, type: undefined, body: Buffer.alloc(0) };
  if (body.kind === "text") return { status, type: body.type, body: Buffer.from(body.text) };
  if (body.kind === "bytes") return { status, type: body.type, body: Buffer.from(body.bytes) };
  const json = writeJson(drift(document(answer)));
  if (jsonp === undefined)
    return { status, type: "application/json; charset=utf-8", body: Buffer.from(json) };
  const script = Buffer.from(`${jsonp}(${json});`);
  return { status: 200, type: "application/javascript; charset=utf-8", body: script };
}

function setHeaders(response: ServerResponse, answer: Answer, sent: Wire, fault: Fault | undefined): void {
  response.statusCode = sent.status;
  if (sent.type !== undefined) response.setHeader("content-type", sent.type);
  if (sent.status !== 304 && sent.status !== 204) response.setHeader("content-length", sent.body.length);
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (!fault || !("headers" in fault)) return;
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    if (value === undefined) response.removeHeader(name);
    else response.setHeader(name, value);
  }
}

/** Writes an answer, as JSONP when the request asks for that, through a fault when there is one. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
  allowJsonp: boolean,
): Promise<void> {
  let name: string | undefined;
  let real = answer;
  try {
    name = allowJsonp ? jsonpName(request) : undefined;
  } catch (error) {
    real = (error as ReturnType<typeof refuse>).answer;
  }
  const drift = fault && "drift" in fault ? fault.drift : (json: unknown) => json;
  const sent = wire(real, name, drift);
  if (response.destroyed) return;
  setHeaders(response, real, sent, fault);
  if (fault) await spoilBody(fault, response, sent.body);
  else response.end(sent.body);
}
