import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { writeJson } from "../json.ts";
import type { Fault } from "./faults.ts";

const PAGE =
  "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n";

function fixed(response: ServerResponse, status: number, type: string, body: string | Uint8Array): true {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
  return true;
}

/** Returns bytes that are neither JSON nor UTF-8. The bytes are the same each time. */
function garbage(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, i) => (i * 167 + 0x80) & 0xff));
}

function* filler(size: number): Generator<Buffer> {
  const block = Buffer.alloc(64 * 1024, "x");
  for (let left = size; left > 0; left -= block.length) {
    yield left < block.length ? block.subarray(0, left) : block;
  }
}

async function oversize(response: ServerResponse, size: number): Promise<void> {
  const [open, close] = ['{"meta":{"status":200,"msg":"OK"},"response":{"filler":"', '"}}'];
  const total = Math.max(size, open.length + close.length);
  response.writeHead(200, { "content-type": "application/json", "content-length": total });
  response.write(open);
  const fill = Readable.from(filler(total - open.length - close.length));
  await pipeline(fill, response, { end: false }).then(
    () => response.end(close),
    () => undefined,
  );
}

function standsAlone(fault: Fault): boolean {
  if ("status" in fault && fault.status !== undefined) return true;
  return ["redirect", "html", "garbage", "oversize", "deep"].some((key) => key in fault);
}

/** Applies a fault that replaces the complete response. Returns whether the fault is of this kind. */
export async function spoilBefore(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if ("raw" in fault) {
    response.socket?.end(fault.raw);
    return true;
  }
  if ("hang" in fault && fault.hang !== "body") {
    if (fault.hang === "headers") {
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    }
    return true;
  }
  if ("reset" in fault && (fault.reset === true || fault.reset === "before")) {
    request.socket.resetAndDestroy();
    return true;
  }
  if (!standsAlone(fault)) return false;
  request.resume();
  if ("redirect" in fault) {
    response.writeHead(fault.status ?? 302, { location: fault.redirect, "content-length": 0 }).end();
    return true;
  }
  if ("html" in fault) {
    return fixed(
      response,
      fault.status ?? 502,
      "text/html; charset=utf-8",
      fault.html === true ? PAGE : fault.html,
    );
  }
  if ("garbage" in fault) {
    return fixed(
      response,
      fault.status ?? 200,
      "application/json",
      garbage(fault.garbage === true ? 64 : fault.garbage),
    );
  }
  if ("oversize" in fault) {
    await oversize(response, fault.oversize);
    return true;
  }
  if ("deep" in fault) {
    return fixed(response, 200, "application/json", "[".repeat(fault.deep) + "]".repeat(fault.deep));
  }
  if ("status" in fault && fault.status !== undefined) {
    const plain = typeof fault.body === "string" || fault.body instanceof Uint8Array;
    const body = plain
      ? (fault.body as string | Uint8Array)
      : fault.body === undefined
        ? ""
        : writeJson(fault.body);
    const type = plain ? {} : { "content-type": "application/json; charset=utf-8" };
    response.writeHead(fault.status, { ...type, ...fault.headers }).end(body);
    return true;
  }
  return false;
}

/**
 * Sends the bytes of a real response in the way that the fault specifies. The headers are set, but not sent
 * yet.
 */
export async function spoilBody(fault: Fault, response: ServerResponse, body: Buffer): Promise<void> {
  const half = body.subarray(0, Math.floor(body.length / 2));
  if ("delay" in fault) await sleep(fault.delay);
  if ("reset" in fault) {
    if (fault.reset === "headers") response.flushHeaders();
    if (fault.reset === "body") await written(response, half);
    if (fault.reset !== "after") await sleep(5);
    response.socket?.resetAndDestroy();
  } else if ("hang" in fault) {
    await written(response, half);
  } else if ("truncate" in fault) {
    await written(response, body.subarray(0, fault.truncate));
    response.socket?.end();
  } else if ("drip" in fault) {
    for (let at = 0; at < body.length && !response.destroyed; at += fault.drip) {
      await written(response, body.subarray(at, at + fault.drip));
      await sleep(fault.every ?? 1);
    }
    response.end();
  } else {
    response.end(body);
  }
}

function written(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => resolve());
    if (piece.length === 0) resolve();
  });
}
